import type { Dialect } from '../dialect.ts';
import { decodeFailure } from '../openai-chat/failure/decode.ts';
import { decodeBody, decodeEvents, decodeWhole } from './decode.ts';
import { encode } from './encode.ts';

/** Transcriptions and translations of audio, as OpenAI and those compatible with it make them. */
export const openaiTranscriptions: Dialect<never> = {
  format: 'transcriptions',
  operations: ['transcribe'],
  choices: 'one',
  encode,
  decodeStream: decodeEvents,
  decodeWhole,
  decodeBody,
  decodeFailure,
};
