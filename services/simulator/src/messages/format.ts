import { bearer } from '../bearer.ts';
import type { Format } from '../format.ts';
import { interrupt, refuse } from './error.ts';
import { type MessagesAsked, parse } from './parse.ts';
import { stream } from './stream.ts';
import { whole } from './whole.ts';

/** Anthropic's messages. */
export const messages: Format<MessagesAsked> = {
  overloaded: 529,
  headers: requestId => ({ 'request-id': requestId, 'anthropic-organization-id': 'org_simulator' }),
  key: headers => header(headers['x-api-key']) ?? bearer(headers),
  parse,
  whole,
  stream,
  refuse,
  interrupt,
};

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
