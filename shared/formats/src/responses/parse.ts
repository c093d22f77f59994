import type { IncomingHttpHeaders } from 'node:http';
import {
  extrasOf,
  GatewayError,
  type GenerateRequest,
  type HostedTool,
  type RequestExtras,
  webSearchTool,
} from '@model-gateway/canonical';
import { exactMembers, isJsonObject } from '@model-gateway/json';
import { checked, invalidRequest } from '../client/invalid.ts';
import { mostTokens, type ParsedCount, type ParsedGenerate } from '../client/parsed-request.ts';
import { invalid } from './invalid.ts';
import { parseGenerate } from './parse-request.ts';
import { ToolNames } from './parse-tools.ts';
import type { ResponsesRendering } from './render.ts';
import { requestsSummary, withTask } from './render-summary.ts';
import { type ResponsesRequest, responsesRequest, responsesTranslatable } from './request.ts';
import { isForeignHistory } from './sanitize-history.ts';

/** Parses a request. `text` is the JSON text of `body`. @throws GatewayError of kind `invalid-request` */
export function parse(
  body: Record<string, unknown>,
  _headers?: IncomingHttpHeaders,
  text?: Buffer,
): ParsedGenerate<ResponsesRendering> {
  const data = readBody(body);
  const request = requestsSummary(data) ? withTask(body) : body;
  const exact = exactKeys(request, text);
  const names = new ToolNames();
  return {
    type: 'generate',
    model: data.model,
    stream: data.stream === true,
    maxTokens: mostTokens(data.max_output_tokens),
    ...parseExtras(data),
    foreign: isForeignHistory(data),
    exact,
    cacheKey: typeof data.prompt_cache_key === 'string' ? data.prompt_cache_key : undefined,
    firstTurn: () => firstTurn(data),
    canonical: (members = exactly(exact, text)) => translate(request, members, names),
    rendering: renderingOf(data, names),
  };
}

function renderingOf(data: ReturnType<typeof readBody>, names: ToolNames): ResponsesRendering {
  const { input: _, ...echoed } = data;
  return { request: echoed, names, summary: requestsSummary(data) };
}

export type Fields = Record<string, unknown>;

function firstTurn({ input }: Pick<ResponsesRequest, 'input'>): unknown {
  return Array.isArray(input) ? input.find(({ role }: Fields) => role === 'user')?.content : input;
}

/** @throws GatewayError of kind `invalid-request` */
export function parseCount(
  body: Record<string, unknown>,
  _headers?: IncomingHttpHeaders,
  text?: Buffer,
): ParsedCount {
  const data = readBody(body);
  const exact = exactKeys(body, text);
  return {
    type: 'count-tokens',
    model: data.model,
    foreign: isForeignHistory(data),
    exact,
    canonical: (members = exactly(exact, text)) => translate(body, members, new ToolNames()),
    rendering: undefined,
  };
}

/** Parses the request for a summary. @throws GatewayError of kind `invalid-request` */
export function parseCompaction(
  body: Record<string, unknown>,
  headers: IncomingHttpHeaders,
  text: Buffer,
): ParsedGenerate<ResponsesRendering> {
  return parse({ ...body, stream: false }, headers, text);
}

/** Members whose numbers keep the client's spelling and precision. */
const exact = ['tools', 'text'];

/** Validates what every upstream requires of a body. @throws GatewayError of kind `invalid-request` */
export function readBody(body: Record<string, unknown>): ResponsesRequest {
  const data = checkBody(body);
  refuseStored(data);
  if (data.input == null && !data.prompt)
    throw invalid('input', "Missing required parameter: 'input'.", 'missing_required_parameter');
  return data;
}

/** Validates the types of a body's fields. @throws GatewayError of kind `invalid-request` */
export function checkBody(body: Record<string, unknown>): ResponsesRequest {
  return checked(responsesRequest, body);
}

/**
 * Parses the canonical request and registers its tools in `names`. `exact` holds the members of {@link
 * exactKeys}.
 * @throws GatewayError of kind `invalid-request`
 */
export function translate(
  body: Record<string, unknown>,
  exact: Record<string, unknown>,
  names: ToolNames,
): GenerateRequest {
  const { success, data, error } = responsesTranslatable.safeParse({ ...body, ...exact });
  if (!success) throw invalidRequest(error, body);
  return parseGenerate(data, names);
}

/** Returns the members whose numbers keep the client's spelling. Empty if the body's text is unknown. */
function exactKeys(body: Record<string, unknown>, text: Buffer | undefined): string[] {
  return text ? exact.filter(key => body[key] != null) : [];
}

/** Parses the members `keys` of a body with exact numbers. */
export function exactly(keys: readonly string[], text: Buffer | undefined): Record<string, unknown> {
  return text && keys.length > 0 ? exactMembers(text.toString(), keys) : {};
}

/**
 * @throws GatewayError for a request that needs the response store: references to it must be resolved before
 */
export function refuseStored({
  previous_response_id: previous,
  conversation,
  background,
  input,
}: ResponsesRequest): void {
  if (previous)
    throw invalid(
      'previous_response_id',
      `Previous response with id '${previous}' not found.`,
      'previous_response_not_found',
    );
  if (conversation) {
    const id = typeof conversation === 'string' ? conversation : conversation.id;
    const message = `Conversation with id '${id}' not found.`;
    throw new GatewayError('not-found', message, { param: 'conversation' });
  }
  if (background)
    throw invalid(
      'background',
      "Unsupported parameter: 'background' is not supported; use 'stream' instead.",
      'unsupported_parameter',
    );
  if (Array.isArray(input)) for (const [i, item] of input.entries()) refuseReference(item, i);
}

function refuseReference({ type, role, id }: Record<string, unknown>, i: number): void {
  if (type !== 'item_reference' && (type || role || !id)) return;
  const message = `Item with id '${id}' not found. Items are not stored: send the item itself.`;
  throw invalid(`input[${i}].id`, message, 'invalid_value');
}

type Tool = NonNullable<ResponsesRequest['tools']>[number];

/** Tools whose calls the client answers. */
const clientTools: ReadonlySet<string> = new Set([
  ...['function', 'custom', 'namespace', 'local_shell', 'apply_patch', 'computer', 'computer_use_preview'],
]);

/** Returns the tools that the upstream runs, and the service tier. */
export function parseExtras(body: Pick<ResponsesRequest, 'tools' | 'tool_choice' | 'service_tier'>): {
  extras?: RequestExtras;
} {
  const { tools, tool_choice: choice, service_tier: tier } = body;
  const offered = choice === 'none' ? [] : (tools ?? []);
  return extrasOf('responses', offered.flatMap(hosted), tier);
}

function hosted({ type, execution, environment, ...tool }: Tool): HostedTool[] {
  if (clientTools.has(type) || (type === 'tool_search' && execution === 'client')) return [];
  if (type === 'shell' && isJsonObject(environment) && environment.type === 'local') return [];
  const isTranslated = type.startsWith(webSearchTool) && !isOwnSearch(tool);
  const name = type.startsWith(webSearchTool) ? webSearchTool : type;
  return [{ name, field: 'tools', ...(!isTranslated && { own: true as const }) }];
}

/** True for a search of this vendor's cache, or of some domains only, which no other vendor has. */
function isOwnSearch({ external_web_access: isLive, filters }: Omit<Tool, 'type'>): boolean {
  return isLive === false || (isJsonObject(filters) && filters.allowed_domains != null);
}
