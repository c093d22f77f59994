import type { AssistantPart, GenerateRequest, Message } from '@model-gateway/canonical';
import type { GenerateInput, InputFacts } from '../dialects/dialect.ts';
import { encode } from '../dialects/messages/encode.ts';
import { encodeInput, type InputFields } from './encode-input.ts';

/** A model that thinks up to a budget of tokens, and one that thinks adaptively. */
export const budgetModel = 'claude-sonnet-4-5-20250929';
export const adaptiveModel = 'claude-opus-4-6';
export const hi: Message = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
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
export function body(request: Partial<GenerateRequest>, fields: InputFields = {}, format = 'chat' as const) {
  const asked = input({ request: { messages: [hi], ...request }, ...fields }, { format });
  return JSON.parse(encode(asked).body.toString());
}

export const messages = (...turns: Message[]) => body({ messages: turns }).messages;
export const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
export const says = (...content: AssistantPart[]): Message => ({ role: 'assistant', content });
export const call = (id: string, args = '{}'): AssistantPart => ({
  type: 'tool-call',
  id,
  name: 'f',
  arguments: args,
});
export const result = (id: string, text = 'ok'): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', callId: id, content: [{ type: 'text', text }] }],
});
