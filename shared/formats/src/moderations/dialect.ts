import { memberText } from '@model-gateway/json';
import { decodeFailure } from '../upstream/decode-openai-failure.ts';
import type { Dialect, VerbatimInput } from '../upstream/dialect.ts';
import { decodeResult, type ReadBody, ResultDecoder } from '../upstream/result.ts';
import { readModeration } from './decode.ts';
import { encode } from './encode.ts';

/** The moderations API of OpenAI, Mistral and compatible providers. */
export const moderationsDialect: Dialect<VerbatimInput> = {
  format: 'moderations',
  bodies: ['verbatim'],
  choices: 'one',
  encode,
  decodeStream: input => decoderOf(input),
  decodeWhole: input => decoderOf(input),
  decodeBody: (body, input) => decodeResult(body, readerOf(input)),
  decodeFailure,
};

function decoderOf(input: VerbatimInput): ResultDecoder {
  return new ResultDecoder(true, readerOf(input));
}

function readerOf(input: VerbatimInput): ReadBody {
  const { requestId, model } = input.envelope;
  const otherwise = { id: requestId.replace(/^(req_)?/, 'modr-'), model };
  return body => readModeration(body, countOf(input), otherwise);
}

/** Returns the number of inputs, each of which has a result: texts and images of one list are one input. */
function countOf({ text }: VerbatimInput): number {
  const input: unknown = JSON.parse(memberText(text, 'input') ?? '""');
  return Array.isArray(input) && typeof input[0] === 'string' ? input.length : 1;
}
