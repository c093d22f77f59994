import type { IncomingHttpHeaders } from 'node:http';
import type { ParsedRequest } from '@model-gateway/ingress';
import type { ResponsesRequest } from '@model-gateway/wire';
import { invalid } from './invalid.ts';
import { parse as parseResponses } from './parse.ts';

type Item = Record<string, unknown>;

/** What a model is asked to do with a conversation. */
const task = [
  'Summarize the conversation so far, for a model that goes on with it and sees nothing else of it.',
  'RevisionedStore what was asked and decided, facts, names, numbers, paths and code that still matter,',
  'what tools were called for and gave, and what is left to do. Write the summary alone.',
].join(' ');

/** The task as an item. */
export const taskItem = { type: 'message', role: 'user', content: [{ type: 'input_text', text: task }] };

/** Whether a request ends in the item that asks for a summary of all before it. */
export function asksForSummary({ input }: Pick<ResponsesRequest, 'input'>): boolean {
  return Array.isArray(input) && input.at(-1)?.type === 'compaction_trigger';
}

/** The same request with the task in the place of that item, for upstreams that do not know it. Nothing is to be called now. */
export function withTask(body: Record<string, unknown>): Record<string, unknown> {
  const input = (body.input as Item[]).slice(0, -1);
  const tools = [body, ...input].some(({ tools }) => Array.isArray(tools) && tools.length > 0);
  return { ...body, input: [...input, taskItem], text: null, tool_choice: tools ? 'none' : null };
}

/** The request for the summary. @throws GatewayError of kind `invalid-request` */
export function parseCompaction(
  body: Record<string, unknown>,
  headers: IncomingHttpHeaders,
  text: Buffer,
): ParsedRequest {
  return parseResponses({ ...body, stream: false }, headers, text);
}

/** The items of a conversation, and what is asked about it: joined by commas. @throws GatewayError where there are none */
export function joinTask(items: string): string {
  if (items === '')
    throw invalid('input', "Missing required parameter: 'input'.", 'missing_required_parameter');
  return `${items},${JSON.stringify(taskItem)}`;
}
