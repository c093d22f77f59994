import type { GenerateRequest, Message } from '@model-gateway/canonical';
import { refusal } from '@model-gateway/canonical/testing/events';
import { user } from '@model-gateway/canonical/testing/parts';
import { encode } from '../messages/encode.ts';
import type { GenerateInput, InputFacts } from '../upstream/dialect.ts';
import { encodeInput, type InputFields } from './encode-input.ts';

/** A model that thinks up to a budget of tokens, and one that thinks adaptively. */
export const budgetModel = 'claude-sonnet-4-5-20250929';
export const adaptiveModel = 'claude-opus-4-6';
export const hi = user('Hi');
export const tool = {
  type: 'function',
  name: 'f',
  parameters: { type: 'object', properties: { x: {} } },
} as const;

/** The input of the dialect for the model with a budget. */
export function input(fields: InputFields, envelope: Partial<InputFacts['envelope']> = {}): GenerateInput {
  return encodeInput({ model: budgetModel, ...fields }, envelope);
}

/** The body that is sent upstream for a request. */
export function body(
  request: Partial<GenerateRequest>,
  fields: InputFields = {},
  format: InputFacts['envelope']['format'] = 'chat',
) {
  const asked = input({ request: { messages: [hi], ...request }, ...fields }, { format });
  return JSON.parse(encode(asked).body.toString());
}

export const messages = (...turns: Message[]) => body({ messages: turns }).messages;
export const refused = (...from: Parameters<typeof body>) => refusal(() => body(...from));
