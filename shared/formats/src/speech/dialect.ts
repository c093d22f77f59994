import { decodeFailure } from '../upstream/decode-openai-failure.ts';
import type { Dialect, VerbatimInput } from '../upstream/dialect.ts';
import { decodeAudio, decodeBody, decodeEvents } from './decode.ts';
import { encode } from './encode.ts';

/** The speech API of OpenAI and compatible providers. */
export const speechDialect: Dialect<VerbatimInput> = {
  format: 'speech',
  bodies: ['verbatim'],
  choices: 'one',
  encode,
  decodeStream: decodeEvents,
  decodeWhole: decodeAudio,
  decodeBody,
  decodeFailure,
};
