import { responsesRequest } from '@model-gateway/formats';
import { z } from 'zod';
import {
  addedItems,
  changedConversation,
  newConversation,
} from '../../../services/ingress-responses/src/endpoints/parse-conversation.ts';
import { largestPage } from '../../../services/ingress-responses/src/items/item-page.ts';
import { type DataPlaneOperation, eventStream, events, json, type Parameter } from './operation.ts';

const common = { tag: 'Responses', security: ['client'], errors: 'chat' } as const;

/** A response object. Its other fields repeat those of the request. */
export const response = z.looseObject({
  id: z.string(),
  object: z.string().optional(),
  status: z.string().nullish(),
  output: z.array(z.looseObject({ type: z.string().optional() })).optional(),
  usage: z.looseObject({}).nullish(),
});
const deleted = z.looseObject({ id: z.string(), object: z.string(), deleted: z.literal(true) });
const conversation = z.looseObject({
  id: z.string(),
  object: z.literal('conversation'),
  created_at: z.int().describe('Seconds since 1970.'),
  metadata: z.record(z.string(), z.string()),
});
const item = z.looseObject({ id: z.string().optional(), type: z.string() });
const items = z.looseObject({
  object: z.literal('list'),
  data: z.array(item),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});

const page: readonly Parameter[] = [
  {
    name: 'limit',
    in: 'query',
    description: 'The most items of the page.',
    schema: { type: 'integer', minimum: 1, maximum: largestPage, default: 20 },
  },
  {
    name: 'order',
    in: 'query',
    description: 'The order of the items by age.',
    schema: { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
  },
  {
    name: 'after',
    in: 'query',
    description: 'The id of the item before the page.',
    schema: { type: 'string' },
  },
];
const stream: readonly Parameter[] = [
  {
    name: 'stream',
    in: 'query',
    description: 'True to follow the events of the response.',
    schema: { type: 'boolean', default: false },
  },
  {
    name: 'starting_after',
    in: 'query',
    description: 'The sequence number of the last event that the client has received.',
    schema: { type: 'integer', minimum: 0 },
  },
];

const input = { model: 'sim-1', input: 'What are you?' };
const following = events('Events with sequence numbers, if `stream` is true.');

const created: readonly DataPlaneOperation[] = [
  {
    ...common,
    id: 'createResponse',
    method: 'post',
    path: '/v1/responses',
    summary: 'Generate a response',
    description:
      'Also over a WebSocket at the same path. The model may be of any provider. Either `input` or `prompt` is required. The response is stored unless `store` is false.',
    body: { [json]: responsesRequest },
    example: input,
    answer: { [json]: response, [eventStream]: following },
  },
  {
    ...common,
    id: 'countResponseTokens',
    method: 'post',
    path: '/v1/responses/input_tokens',
    summary: 'Count the input tokens of a response',
    body: { [json]: responsesRequest },
    example: input,
    answer: { [json]: z.looseObject({ input_tokens: z.int() }) },
  },
  {
    ...common,
    id: 'compactResponse',
    method: 'post',
    path: '/v1/responses/compact',
    summary: 'Replace a conversation by a summary',
    body: { [json]: responsesRequest },
    example: input,
    answer: {
      [json]: z.looseObject({
        id: z.string(),
        object: z.string(),
        output: z.array(z.looseObject({})),
      }),
    },
  },
];

const stored: readonly DataPlaneOperation[] = [
  {
    ...common,
    id: 'showResponse',
    method: 'get',
    path: '/v1/responses/{id}',
    summary: 'Show a stored response, or follow its events',
    parameters: stream,
    answer: { [json]: response, [eventStream]: following },
  },
  {
    ...common,
    id: 'deleteResponse',
    method: 'delete',
    path: '/v1/responses/{id}',
    summary: 'Delete a stored response',
    answer: { [json]: deleted },
  },
  {
    ...common,
    id: 'listResponseItems',
    method: 'get',
    path: '/v1/responses/{id}/input_items',
    summary: 'List the input items of a stored response',
    parameters: page,
    answer: { [json]: items },
  },
  {
    ...common,
    id: 'cancelResponse',
    method: 'post',
    path: '/v1/responses/{id}/cancel',
    summary: 'Cancel a response that runs in the background',
    answer: { [json]: response },
  },
];

const conversations: readonly DataPlaneOperation[] = [
  {
    ...common,
    id: 'createConversation',
    method: 'post',
    path: '/v1/conversations',
    summary: 'Create a conversation',
    body: { [json]: newConversation },
    bodyIsOptional: true,
    example: { items: [{ type: 'message', role: 'user', content: 'Hello.' }] },
    answer: { [json]: conversation },
  },
  {
    ...common,
    id: 'showConversation',
    method: 'get',
    path: '/v1/conversations/{id}',
    summary: 'Show a conversation',
    answer: { [json]: conversation },
  },
  {
    ...common,
    id: 'changeConversation',
    method: 'post',
    path: '/v1/conversations/{id}',
    summary: 'Change the metadata of a conversation',
    body: { [json]: changedConversation },
    example: { metadata: { topic: 'cats' } },
    answer: { [json]: conversation },
  },
  {
    ...common,
    id: 'deleteConversation',
    method: 'delete',
    path: '/v1/conversations/{id}',
    summary: 'Delete a conversation',
    answer: { [json]: deleted },
  },
];

const conversationItems: readonly DataPlaneOperation[] = [
  {
    ...common,
    id: 'listConversationItems',
    method: 'get',
    path: '/v1/conversations/{id}/items',
    summary: 'List the items of a conversation',
    parameters: page,
    answer: { [json]: items },
  },
  {
    ...common,
    id: 'addConversationItems',
    method: 'post',
    path: '/v1/conversations/{id}/items',
    summary: 'Add items to a conversation',
    body: { [json]: addedItems },
    example: { items: [{ type: 'message', role: 'user', content: 'Hello.' }] },
    answer: { [json]: items },
  },
  {
    ...common,
    id: 'showConversationItem',
    method: 'get',
    path: '/v1/conversations/{id}/items/{item}',
    summary: 'Show an item of a conversation',
    answer: { [json]: item },
  },
  {
    ...common,
    id: 'deleteConversationItem',
    method: 'delete',
    path: '/v1/conversations/{id}/items/{item}',
    summary: 'Delete an item of a conversation',
    answer: { [json]: conversation },
  },
];

export const responses: readonly DataPlaneOperation[] = [
  ...created,
  ...stored,
  ...conversations,
  ...conversationItems,
];
