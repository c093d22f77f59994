import { batchEmbedRequest } from '@model-gateway/formats';
import type { Endpoint } from '@model-gateway/ingress';
import { fieldsInBothCases } from '../check.ts';
import { generateContentFormat } from '../format.ts';
import { pathOf } from '../target.ts';
import { fields, parseBatchEmbed, parseEmbed } from './parse.ts';
import { batchRenderer, contentRenderer } from './render.ts';

/** The embedding of one content. */
export const embedContent: Endpoint = {
  ...generateContentFormat,
  ...pathOf('embedContent'),
  format: 'embed-content',
  fields,
  parse: parseEmbed,
  render: () => contentRenderer,
  fieldNames: {
    'inputs[0]': 'content',
    inputs: 'content',
    dimensions: 'outputDimensionality',
    task: 'taskType',
  },
};

/** The embeddings of several contents. */
export const batchEmbedContents: Endpoint = {
  ...generateContentFormat,
  ...pathOf('batchEmbedContents'),
  format: 'embed-content',
  fields: fieldsInBothCases(batchEmbedRequest),
  parse: parseBatchEmbed,
  render: () => batchRenderer,
  fieldNames: {
    inputs: 'requests',
    dimensions: 'outputDimensionality',
    task: 'taskType',
  },
};
