import type { Dialect } from '../dialect.ts';
import { decodeRefusal, StreamDecoder, WholeDecoder } from './decode.ts';
import { asksForUsage, encode } from './encode.ts';

/** Chat completions, as OpenAI and those compatible with it speak it. */
export const openaiChat: Dialect = {
  format: 'chat',
  encode,
  decodeStream: input => new StreamDecoder({ showUsage: asksForUsage(input.body) }),
  decodeWhole: () => new WholeDecoder(),
  decodeRefusal,
};
