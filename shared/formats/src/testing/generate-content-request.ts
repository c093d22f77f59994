import type { GenerateFormat, GenerateRequest, Message } from '@model-gateway/canonical';
import { refusal } from '@model-gateway/canonical/testing/events';
import { result, tells, user } from '@model-gateway/canonical/testing/parts';
import { expect } from 'vitest';
import { encode } from '../generate-content/encode.ts';
import { generateContentTranslatable } from '../generate-content/request.ts';
import type { GenerateInput, InputFacts } from '../upstream/dialect.ts';
import { encodeInput, type InputFields } from './encode-input.ts';

/** A model that requires signatures, and an older one that does not. */
export const newest = 'gemini-3-pro';
export const older = 'gemini-2.5-flash';
/** The signature that is sent to models that require one, if the history has none. */
export const standIn = 'skip_thought_signature_validator';

/** The input of the dialect for the newest model. */
export function input(fields: InputFields, envelope: Partial<InputFacts['envelope']> = {}): GenerateInput {
  return encodeInput({ model: newest, ...fields }, envelope);
}

export const ok = (id: string): Message => tells(result(id, 'ok'));
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
export const refused = (...from: Parameters<typeof body>) => refusal(() => body(...from));
