import { decodeFailure, WholeDecoder } from '../chat/decode.ts';
import type { Dialect } from '../dialect.ts';
import { decodeBody, decodeStream } from './decode.ts';
import { encode } from './encode.ts';

/** Completions of bare text, as OpenAI had them before chat and as servers of open models still do. */
export const completionsDialect: Dialect = {
  format: 'completions',
  choices: 'many',
  encode,
  decodeStream,
  decodeWhole: () => new WholeDecoder(),
  decodeBody,
  decodeFailure,
};
