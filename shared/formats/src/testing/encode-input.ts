import type { GenerateFormat, GenerateRequest } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import type { GenerateInput, InputFacts } from '../upstream/dialect.ts';

/** The fields of an input of a dialect that generates, which has a request or a text. */
export interface InputFields extends Partial<InputFacts> {
  request?: GenerateRequest;
  text?: Buffer;
}

/** The input in a fixture of an encoder: a request, and what else the encoder is told. */
export type AskedFields = Partial<GenerateRequest> & { facts?: InputFields & { format?: GenerateFormat } };

/** Returns the input of an encoder: by default a chat client's request that does not stream, with that format's traits. */
export function encodeInput(
  { request, text, ...facts }: InputFields & { model: string },
  envelope: Partial<InputFacts['envelope']> = {},
): GenerateInput {
  const input = { envelope: testEnvelope({ stream: false, ...envelope }), drop: [], limits: {}, ...facts };
  if (request) return { ...input, body: 'canonical', request };
  if (text) return { ...input, body: 'verbatim', text };
  throw new Error('neither a request nor a text');
}
