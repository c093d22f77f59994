import { z } from 'zod';
import { largest } from '../../../services/ingress-models/src/models/parse.ts';
import { type DataPlaneOperation, json, open, type Parameter } from './operation.ts';

const model = open('A model. Its fields depend on the format.');
const list = z.looseObject({}).describe('A list of models. Its fields depend on the format.');

const page = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string' },
});
const size = (name: string, description: string, minimum: number): Parameter => ({
  name,
  in: 'query',
  description,
  schema: { type: 'integer', minimum, maximum: largest },
});
/** Only clients of the messages format send it, which selects that format. */
const version: Parameter = {
  name: 'anthropic-version',
  in: 'header',
  description: 'If present, the response is in the messages format.',
  schema: { type: 'string', examples: ['2023-06-01'] },
};

const first = {
  method: 'get',
  tag: 'Models',
  description:
    'The response is in the format of the client: messages with `x-api-key` or `anthropic-version`, generate content with `x-goog-api-key`, else chat.',
  security: ['client', 'clientApiKey', 'clientGoogleKey'],
  errors: 'models',
} as const;
const beta = {
  method: 'get',
  tag: 'Models',
  security: ['clientGoogleKey', 'clientQueryKey', 'client'],
  errors: 'models',
} as const;

export const models: readonly DataPlaneOperation[] = [
  {
    ...first,
    id: 'listModels',
    path: '/v1/models',
    summary: 'List the models that the token may use',
    parameters: [
      version,
      size('limit', 'The most models of a page in the messages format.', 1),
      page('after_id', 'The id of the model before the page, in the messages format.'),
      page('before_id', 'The id of the model after the page, in the messages format.'),
    ],
    answer: { [json]: list },
  },
  {
    ...first,
    id: 'showModel',
    path: '/v1/models/{model}',
    summary: 'Show a model that the token may use',
    parameters: [version],
    answer: { [json]: model },
  },
  {
    ...beta,
    id: 'listContentModels',
    path: '/v1beta/models',
    summary: 'List the models that the token may use, in the format of generate content',
    parameters: [
      size('pageSize', 'The most models of a page; 0 means 50.', 0),
      page('pageToken', 'The `nextPageToken` of the previous page.'),
    ],
    answer: { [json]: list },
  },
  {
    ...beta,
    id: 'showContentModel',
    path: '/v1beta/models/{model}',
    summary: 'Show a model that the token may use, in the format of generate content',
    answer: { [json]: model },
  },
];
