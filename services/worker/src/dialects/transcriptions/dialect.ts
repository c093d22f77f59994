import { decodeFailure } from '../decode-openai-failure.ts';
import type { Dialect } from '../dialect.ts';
import { decodeBody, decodeEvents, decodeWhole } from './decode.ts';
import { encode } from './encode.ts';

/** Transcriptions and translations of audio, as OpenAI and those compatible with it make them. */
export const transcriptionsDialect: Dialect<never> = {
  format: 'transcriptions',
  operations: ['transcribe'],
  choices: 'one',
  encode,
  decodeStream: decodeEvents,
  decodeWhole,
  decodeBody,
  decodeFailure,
};
