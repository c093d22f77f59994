import { bearer } from '../bearer.ts';
import { interrupt, refuse } from '../chat/error.ts';
import type { Format } from '../format.ts';
import { type CompletionsAsked, parse } from './parse.ts';
import { stream } from './stream.ts';
import { whole } from './whole.ts';

/** OpenAI's legacy completions, whose errors are those of chat. */
export const completions: Format<CompletionsAsked> = {
  overloaded: 503,
  headers: requestId => ({ 'x-request-id': requestId, 'openai-version': '2020-10-01' }),
  key: bearer,
  parse,
  whole,
  stream,
  refuse,
  interrupt,
};
