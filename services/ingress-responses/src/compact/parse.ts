import type { IncomingHttpHeaders } from 'node:http';
import type { ParsedRequest } from '@model-gateway/ingress';
import { parse as parseResponses } from '../responses/parse.ts';

/** The request for the summary. @throws GatewayError of kind `invalid-request` */
export function parse(
  body: Record<string, unknown>,
  headers: IncomingHttpHeaders,
  text: Buffer,
): ParsedRequest {
  return parseResponses({ ...body, stream: false }, headers, text);
}

/** What a model is asked to do with a conversation. */
const task = [
  'Summarize the conversation so far, for a model that goes on with it and sees nothing else of it.',
  'Keep what was asked and decided, facts, names, numbers, paths and code that still matter,',
  'what tools were called for and gave, and what is left to do. Write the summary alone.',
].join(' ');

/** The items of a conversation, and what is asked about it: joined by commas. */
export function withTask(items: string): string {
  const content = [{ type: 'input_text', text: task }];
  const asked = JSON.stringify({ type: 'message', role: 'user', content });
  return items === '' ? asked : `${items},${asked}`;
}
