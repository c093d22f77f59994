import { renamePath } from '@model-gateway/canonical';
import { decodeFailure } from '../chat/decode.ts';
import type { Dialect, UpstreamFields } from '../upstream/dialect.ts';
import { CompletionDecoder, decodeBody, decodeEvents, decodeStream } from './decode.ts';
import { encode } from './encode.ts';

/** The canonical fields of the fields that upstreams name in errors. */
const fields: UpstreamFields = {
  prompt: 'messages',
  max_tokens: 'maxTokens',
  temperature: 'temperature',
  top_p: 'topP',
  stop: 'stop',
  n: 'n',
  seed: 'seed',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
  logprobs: 'logprobs',
  logit_bias: 'logitBias',
  user: 'user',
};

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
  pathOf: param => renamePath(param, fields),
};
