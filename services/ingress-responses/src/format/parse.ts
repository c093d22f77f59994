import type { IncomingHttpHeaders } from 'node:http';
import { isForeignSignature, readSignedId } from '@model-gateway/canonical';
import type { CountRequest, ParsedRequest } from '@model-gateway/ingress';
import type { ResponsesRequest } from '@model-gateway/wire';
import { exactKeys, exactly, readBody, translate } from './parse-body.ts';
import { requestsSummary, withTask } from './parse-summary.ts';
import { renderCount, responsesRenderer } from './render.ts';
import { Output } from './render-output.ts';
import { SummaryOutput } from './render-summary.ts';
import { ToolNames } from './tool-names.ts';

/** Parses a request. `text` is the JSON text of `body`. @throws GatewayError of kind `invalid-request` */
export function parse(
  body: Record<string, unknown>,
  _headers?: IncomingHttpHeaders,
  text?: Buffer,
): ParsedRequest {
  const data = readBody(body);
  const request = requestsSummary(data) ? withTask(body) : body;
  const exact = exactKeys(request, text);
  const names = new ToolNames();
  return {
    model: data.model,
    stream: data.stream === true,
    foreign: isForeignHistory(data),
    exact,
    canonical: (members = exactly(exact, text)) => translate(request, members, names),
    render: rendererFor(data, names),
  };
}

/** Returns the renderer. It is a separate function so that its closures do not retain the body. */
function rendererFor(data: ReturnType<typeof readBody>, names: ToolNames) {
  const { input: _, ...echoed } = data;
  const summary = requestsSummary(data);
  return responsesRenderer(echoed, (requestId, frame) =>
    summary ? new SummaryOutput(requestId, frame) : new Output({ requestId, names, frame }),
  );
}

type Fields = Record<string, unknown>;

/** The vendor's limit for the length of a call id. */
const maxCallId = 64;

/** True if the history holds items of another vendor or of the gateway, which this vendor rejects. */
export function isForeignHistory({ input }: Pick<ResponsesRequest, 'input'>): boolean {
  return Array.isArray(input) && input.some(isForeignItem);
}

function isForeignItem(item: Fields): boolean {
  const { type, encrypted_content: encrypted } = item;
  if (type === 'reasoning' && isUnsigned(item)) return true;
  return isForeignSignature(encrypted, 'responses') || hasForeignId(item);
}

/**
 * True for reasoning without signature or content. The vendor stores nothing, so it cannot look the reasoning
 * up.
 */
function isUnsigned({ encrypted_content: encrypted, content }: Fields): boolean {
  return !encrypted && !(Array.isArray(content) && content.length > 0);
}

function hasForeignId({ call_id: id }: Fields): boolean {
  return typeof id === 'string' && (id.length > maxCallId || readSignedId(id).id !== id);
}

/** @throws GatewayError of kind `invalid-request` */
export function parseCount(
  body: Record<string, unknown>,
  _headers?: IncomingHttpHeaders,
  text?: Buffer,
): CountRequest {
  const data = readBody(body);
  const exact = exactKeys(body, text);
  return {
    model: data.model,
    foreign: isForeignHistory(data),
    exact,
    canonical: (members = exactly(exact, text)) => translate(body, members, new ToolNames()),
    renderCount,
  };
}

/** Parses the request for a summary. @throws GatewayError of kind `invalid-request` */
export function parseCompaction(
  body: Record<string, unknown>,
  headers: IncomingHttpHeaders,
  text: Buffer,
): ParsedRequest {
  return parse({ ...body, stream: false }, headers, text);
}
