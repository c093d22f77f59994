import { decodeFailure, WholeDecoder } from '../chat/decode.ts';
import type { Dialect } from '../dialect.ts';
import { decodeBody, decodeStream } from './decode.ts';
import { encode } from './encode.ts';

/** Text completions: OpenAI's API before chat, which servers of open models support. */
export const completionsDialect: Dialect = {
  format: 'completions',
  choices: 'many',
  encode,
  decodeStream,
  decodeWhole: () => new WholeDecoder(),
  decodeBody,
  decodeFailure,
};
