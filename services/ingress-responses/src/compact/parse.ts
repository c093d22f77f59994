import type { IncomingHttpHeaders } from 'node:http';
import type { ParsedRequest } from '@model-gateway/ingress';
import { invalid } from '../invalid.ts';
import { parse as parseResponses } from '../responses/parse.ts';
import { taskItem } from '../summary/parse.ts';

/** The request for the summary. @throws GatewayError of kind `invalid-request` */
export function parse(
  body: Record<string, unknown>,
  headers: IncomingHttpHeaders,
  text: Buffer,
): ParsedRequest {
  return parseResponses({ ...body, stream: false }, headers, text);
}

/** The items of a conversation, and what is asked about it: joined by commas. @throws GatewayError where there are none */
export function withTask(items: string): string {
  if (items === '')
    throw invalid('input', "Missing required parameter: 'input'.", 'missing_required_parameter');
  return `${items},${JSON.stringify(taskItem)}`;
}
