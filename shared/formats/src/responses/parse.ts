import type { IncomingHttpHeaders } from 'node:http';
import { areArguments } from '@model-gateway/json';
import { mostTokens, type ParsedCount, type ParsedGenerate } from '../client/parsed-request.ts';
import { mendedDataUrl } from '../values/media.ts';
import { isForeignSignature, readSignedId } from '../values/signatures.ts';
import { exactKeys, exactly, readBody, translate } from './parse-body.ts';
import { parseExtras } from './parse-extras.ts';
import type { ResponsesRendering } from './render.ts';
import type { ResponsesRequest } from './request.ts';
import { requestsSummary, withTask } from './summary.ts';
import { ToolNames } from './tool-names.ts';

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

type Fields = Record<string, unknown>;

function firstTurn({ input }: Pick<ResponsesRequest, 'input'>): unknown {
  return Array.isArray(input) ? input.find(({ role }: Fields) => role === 'user')?.content : input;
}

/** The vendor's limit for the length of a call id. */
const maxCallId = 64;

/**
 * True if the history holds items of another vendor or of the gateway, arguments that are no JSON text, or media in another
 * form, which this vendor rejects.
 */
export function isForeignHistory({ input }: Pick<ResponsesRequest, 'input'>): boolean {
  return Array.isArray(input) && input.some(isForeignItem);
}

function isForeignItem(item: Fields): boolean {
  const { type, encrypted_content: encrypted } = item;
  if (type === 'reasoning' && isUnsigned(item)) return true;
  if (type === 'function_call' && !areArguments(item.arguments)) return true;
  if (hasLooseMedia(item.content) || hasLooseMedia(item.output)) return true;
  return isForeignSignature(encrypted, 'responses') || hasForeignId(item);
}

/**
 * True for reasoning without signature or content. The vendor stores nothing, so it cannot look the reasoning
 * up.
 */
function isUnsigned({ encrypted_content: encrypted, content }: Fields): boolean {
  return !encrypted && !(Array.isArray(content) && content.length > 0);
}

/** True for content with an image that is an object, a data URL of another type than its bytes, or base64 with line ends. */
function hasLooseMedia(content: unknown): boolean {
  if (!Array.isArray(content)) return false;
  return content.some(part => {
    const { image_url: image, file_data: file } = Object(part) as Fields;
    if (typeof image === 'object' && image !== null) return true;
    return [image, file].some(url => typeof url === 'string' && mendedDataUrl(url) !== url);
  });
}

function hasForeignId({ call_id: id }: Fields): boolean {
  return typeof id === 'string' && (id.length > maxCallId || readSignedId(id).id !== id);
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
