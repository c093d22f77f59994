import type { IncomingHttpHeaders } from 'node:http';
import { isForeignSignature, readSignedId } from '@model-gateway/canonical';
import type { CountRequest, ParsedRequest } from '@model-gateway/ingress';
import type { ResponsesRequest } from '@model-gateway/wire';
import { exactKeys, exactly, readBody, translate } from './parse-body.ts';
import { asksForSummary, withTask } from './parse-summary.ts';
import { renderCount, responsesRenderer } from './render.ts';
import { Output } from './render-output.ts';
import { SummaryOutput } from './render-summary.ts';
import { ToolNames } from './tool-names.ts';

/** `text` is the body's own. @throws GatewayError of kind `invalid-request` */
export function parse(
  body: Record<string, unknown>,
  _headers?: IncomingHttpHeaders,
  text?: Buffer,
): ParsedRequest {
  const data = readBody(body);
  const asked = asksForSummary(data) ? withTask(body) : body;
  const exact = exactKeys(asked, text);
  const names = new ToolNames();
  return {
    model: data.model,
    stream: data.stream === true,
    foreign: isForeignHistory(data),
    exact,
    canonical: (given = exactly(exact, text)) => translate(asked, given, names),
    render: rendererFor(data, names),
  };
}

/** Apart from what reads the body, so that an answer does not hold on to it. */
function rendererFor(data: ReturnType<typeof readBody>, names: ToolNames) {
  const { input: _, ...asked } = data;
  const summary = asksForSummary(data);
  return responsesRenderer(asked, (requestId, frame) =>
    summary ? new SummaryOutput(requestId, frame) : new Output({ requestId, names, frame }),
  );
}

type Fields = Record<string, unknown>;

/** The vendor takes no longer ids of calls. */
const maxCallId = 64;

/** Whether a history holds what another vendor made, or the gateway in its name: this one refuses it. */
export function isForeignHistory({ input }: Pick<ResponsesRequest, 'input'>): boolean {
  return Array.isArray(input) && input.some(isForeignItem);
}

function isForeignItem(item: Fields): boolean {
  const { type, encrypted_content: proof } = item;
  if (type === 'reasoning' && isUnproven(item)) return true;
  return isForeignSignature(proof, 'responses') || hasForeignId(item);
}

/** Reasoning without a proof is nobody's: its vendor is asked to keep nothing, and knows no more of it than of ours. */
function isUnproven({ encrypted_content: proof, content }: Fields): boolean {
  return !proof && !(Array.isArray(content) && content.length > 0);
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
    canonical: (given = exactly(exact, text)) => translate(body, given, new ToolNames()),
    renderCount,
  };
}
