import { messagesCountRequest, messagesRequest } from '@model-gateway/formats';
import { z } from 'zod';
import { type DataPlaneOperation, eventStream, events, json, type Parameter } from './operation.ts';

const headers: readonly Parameter[] = [
  {
    name: 'anthropic-version',
    in: 'header',
    required: true,
    description: 'The version of the format.',
    schema: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2023-06-01'] },
  },
  {
    name: 'anthropic-beta',
    in: 'header',
    description: 'Beta features, which are passed on to upstreams that speak this format.',
    schema: { type: 'string' },
  },
];

const common = {
  method: 'post',
  tag: 'Messages',
  parameters: headers,
  security: ['client', 'clientApiKey'],
  errors: 'messages',
} as const;

const turns = { model: 'sim-1', messages: [{ role: 'user', content: 'What are you?' }] };

export const message = z.looseObject({
  id: z.string().optional(),
  type: z.string().optional(),
  role: z.string().optional(),
  model: z.string().optional(),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullish(),
  usage: z.looseObject({ input_tokens: z.int().optional(), output_tokens: z.int().optional() }).nullish(),
});

export const messages: readonly DataPlaneOperation[] = [
  {
    ...common,
    id: 'createMessage',
    path: '/v1/messages',
    summary: 'Generate the next message of a conversation',
    description:
      'The model may be of any provider. Fields that are not listed are passed on to upstreams that speak this format.',
    body: { [json]: messagesRequest },
    example: { ...turns, max_tokens: 100 },
    answer: {
      [json]: message,
      [eventStream]: events('Events from `message_start` to `message_stop`, if `stream` is true.'),
    },
  },
  {
    ...common,
    id: 'countMessageTokens',
    path: '/v1/messages/count_tokens',
    summary: 'Count the input tokens of a conversation',
    body: { [json]: messagesCountRequest },
    example: turns,
    answer: { [json]: z.looseObject({ input_tokens: z.int() }) },
  },
];
