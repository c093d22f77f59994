import type { IncomingHttpHeaders } from 'node:http';
import { bearer } from '../bearer.ts';
import type { Format } from '../format.ts';
import { Refusal } from '../refusal.ts';
import { interrupt, refuse } from './error.ts';
import { type GenerateAsked, parse } from './parse.ts';
import { drawn } from './picture.ts';
import { stream } from './stream.ts';
import { queryOf } from './target.ts';
import { whole } from './whole.ts';

/** Google's generate content. */
export const generateContent: Format<GenerateAsked> = {
  overloaded: 503,
  retryInBody: true,
  headers: requestId => ({ 'x-request-id': requestId, 'server-timing': 'gfet4t7; dur=1' }),
  key: (headers, url) => header(headers) ?? queryOf(url).get('key') ?? bearer(headers),
  badKey: () => new Refusal(400, 'API key not valid. Please pass a valid API key.', 'invalid_api_key'),
  parse,
  async prepare(asked) {
    return asked.picture ? { ...asked, picture: await drawn(asked.picture) } : asked;
  },
  whole,
  stream,
  refuse,
  interrupt,
};

function header({ 'x-goog-api-key': key }: IncomingHttpHeaders): string | undefined {
  return Array.isArray(key) ? key[0] : key;
}
