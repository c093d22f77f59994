import { CountDecoder, countsTranslated } from '../count.ts';
import type { Dialect } from '../dialect.ts';
import { decodeBody, decodeStream, readCount, WholeDecoder } from './decode.ts';
import { decodeFailure } from './decode-failure.ts';
import { encode } from './encode.ts';
import { toolsByName } from './encode-tools.ts';

/** Messages of Anthropic and compatible upstreams. */
export const messagesDialect: Dialect = {
  format: 'messages',
  choices: 'one',
  encode,
  decodeStream: ({ request, model }) =>
    decodeStream(request ? { tools: toolsByName(request, model) } : { verbatim: true }),
  decodeWhole: input => (countsTranslated(input) ? new CountDecoder(readCount) : new WholeDecoder()),
  decodeBody: (body, { request, model }) =>
    decodeBody(body, request ? toolsByName(request, model) : new Map()),
  decodeFailure,
};
