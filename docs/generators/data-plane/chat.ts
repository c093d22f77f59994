import { chatRequest, chatTranslatable, completionRequest } from '@model-gateway/formats';
import { z } from 'zod';
import { type DataPlaneOperation, eventStream, events, json } from './operation.ts';

/**
 * Every field that the ingress knows. Fields that it always validates have the schema of {@link chatRequest}; the others are
 * validated if the request is translated.
 */
export const chatBody = chatTranslatable.extend(chatRequest.shape);

const usage = z.looseObject({
  prompt_tokens: z.int().optional(),
  completion_tokens: z.int().optional(),
  total_tokens: z.int().optional(),
});

/** A whole response. Upstreams add fields. */
export const chatCompletion = z.looseObject({
  id: z.string().optional(),
  object: z.string().optional(),
  created: z.int().optional().describe('Seconds since 1970.'),
  model: z.string().optional(),
  choices: z.array(
    z.looseObject({
      index: z.int().optional(),
      finish_reason: z.string().nullish(),
      message: z.looseObject({
        role: z.string().optional(),
        content: z.string().nullish(),
        tool_calls: z.array(z.looseObject({})).nullish(),
      }),
    }),
  ),
  usage: usage.nullish(),
});

export const completion = z.looseObject({
  id: z.string().optional(),
  object: z.string().optional(),
  created: z.int().optional().describe('Seconds since 1970.'),
  model: z.string().optional(),
  choices: z.array(
    z.looseObject({
      index: z.int().optional(),
      text: z.string(),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: usage.nullish(),
});

export const chat: readonly DataPlaneOperation[] = [
  {
    id: 'createChatCompletion',
    method: 'post',
    path: '/v1/chat/completions',
    tag: 'Chat',
    summary: 'Generate an answer to a conversation',
    description:
      'The model may be of any provider. Fields that are not listed are passed on to upstreams that speak this format.',
    body: { [json]: chatBody },
    example: { model: 'sim-1', messages: [{ role: 'user', content: 'What are you?' }] },
    security: ['client'],
    errors: 'chat',
    answer: {
      [json]: chatCompletion,
      [eventStream]: events('Chunks, if `stream` is true. `[DONE]` is the last event.'),
    },
  },
  {
    id: 'createCompletion',
    method: 'post',
    path: '/v1/completions',
    tag: 'Chat',
    summary: 'Complete a text (legacy)',
    body: { [json]: completionRequest },
    example: { model: 'sim-1', prompt: 'Once upon a time', max_tokens: 16 },
    security: ['client'],
    errors: 'chat',
    answer: {
      [json]: completion,
      [eventStream]: events('Chunks, if `stream` is true. `[DONE]` is the last event.'),
    },
  },
];
