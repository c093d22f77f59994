import { bearer } from '../bearer.ts';
import type { Format } from '../format.ts';
import { interrupt, refuse } from './error.ts';
import { type ChatAsked, parse } from './parse.ts';
import { stream } from './stream.ts';
import { whole } from './whole.ts';

/** OpenAI's chat completions. */
export const chat: Format<ChatAsked> = {
  overloaded: 503,
  headers: requestId => ({ 'x-request-id': requestId, 'openai-version': '2020-10-01' }),
  key: bearer,
  parse,
  whole,
  stream,
  refuse,
  interrupt,
};
