import { bearer } from '../body.ts';
import { errorBody, errorEvent } from '../chat/format.ts';
import type { Format } from '../format.ts';
import { type ParsedCompletions, parse } from './parse.ts';
import { stream } from './stream.ts';
import { whole } from './whole.ts';

/** OpenAI's legacy completions, whose errors are those of chat. */
export const completions: Format<ParsedCompletions> = {
  overloaded: 503,
  headers: requestId => ({ 'x-request-id': requestId, 'openai-version': '2020-10-01' }),
  key: bearer,
  parse,
  whole,
  stream,
  errorBody,
  errorEvent,
};
