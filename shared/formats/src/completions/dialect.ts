import { renamePath } from '@model-gateway/canonical';
import { decodeFailure } from '../chat/decode.ts';
import type { Dialect } from '../upstream/dialect.ts';
import { CompletionDecoder, decodeBody, decodeEvents, decodeStream } from './decode.ts';
import { encode } from './encode.ts';
import { completionsFields } from './fields.ts';

/** Text completions: OpenAI's API before chat, which servers of open models support. */
export const completionsDialect: Dialect = {
  format: 'completions',
  bodies: ['verbatim', 'canonical'],
  choices: 'many',
  encode,
  decodeStream,
  decodeWhole: ({ envelope }) => new CompletionDecoder(envelope),
  decodeEvents,
  decodeBody,
  decodeFailure,
  pathOf: param => renamePath(param, completionsFields.paths),
};
