import type { Format } from '../format.ts';
import { cohereFormat } from '../vectors/small-vendors.ts';
import { type ParsedCohereChat, parse } from './parse.ts';
import { event, stream } from './stream.ts';
import { whole } from './whole.ts';

/** Cohere's chat API, version 2. */
export const cohereChat: Format<ParsedCohereChat> = {
  ...cohereFormat,
  parse,
  whole,
  stream,
  errorEvent: ({ message }) => event('message-end', { delta: { finish_reason: 'ERROR', error: message } }),
};
