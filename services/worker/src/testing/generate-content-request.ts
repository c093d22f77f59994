import type {
  AssistantPart,
  GenerateFormat,
  GenerateRequest,
  Message,
  Signature,
  ToolResultPart,
  UserPart,
} from '@model-gateway/canonical';
import { generateContentTranslatable } from '@model-gateway/wire';
import { expect } from 'vitest';
import type { GenerateInput, InputFacts } from '../dialects/dialect.ts';
import { encode } from '../dialects/generate-content/encode.ts';
import { encodeInput, type InputFields, refusal } from './encode-input.ts';

/** A model that requires signatures, and an older one that does not. */
export const newest = 'gemini-3-pro';
export const older = 'gemini-2.5-flash';
/** The signature that is sent to models that require one, if the history has none. */
export const standIn = 'skip_thought_signature_validator';

/** The input of the dialect for the newest model. */
export function input(fields: InputFields, envelope: Partial<InputFacts['envelope']> = {}): GenerateInput {
  return encodeInput({ model: newest, ...fields }, envelope);
}

export const text = (value: string): UserPart => ({ type: 'text', text: value });
export const user = (...content: (string | UserPart)[]): Message => ({
  role: 'user',
  content: content.map(part => (typeof part === 'string' ? text(part) : part)),
});
export const system = (value: string): Message => ({
  role: 'system',
  content: [{ type: 'text', text: value }],
});
export const assistant = (...content: AssistantPart[]): Message => ({ role: 'assistant', content });
export const signed = (value: string): Signature => ({ format: 'generate-content', value });
export const call = (id: string, args = '{}', more: object = {}): AssistantPart => ({
  type: 'tool-call',
  id,
  name: 'f',
  arguments: args,
  ...more,
});
export const results = (
  ...content: [callId: string, content: ToolResultPart['content'], error?: true][]
): Message => ({
  role: 'tool',
  content: content.map(([callId, content, error]) => ({
    type: 'tool-result',
    callId,
    content,
    ...(error && { error }),
  })),
});
export const ok = (id: string): Message => results([id, [{ type: 'text', text: 'ok' }]]);
export const tool = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } } as const;

/** The body that is sent upstream for a request. */
export function body(
  request: Partial<GenerateRequest>,
  fields: InputFields = {},
  format: GenerateFormat = 'chat',
) {
  const asked = input({ request: { messages: [user('Hi')], ...request }, ...fields }, { format });
  const sent = JSON.parse(encode(asked).body.toString());
  // The body is a valid request of this format.
  expect(generateContentTranslatable.safeParse(sent).error).toBeUndefined();
  return sent;
}

export const config = (request: Partial<GenerateRequest>, model = newest) =>
  body(request, { model }).generationConfig;
export const contents = (messages: Message[], model = newest) => body({ messages }, { model }).contents;

/** Returns the refusal of a request. */
export const refused = (
  request: Partial<GenerateRequest>,
  fields: InputFields = {},
  format?: GenerateFormat,
) => refusal(() => body(request, fields, format));
