import type { GatewayError } from '@model-gateway/canonical';
import { readBody, renderFailure, renderHead } from '@model-gateway/formats/responses';
import { type Edits, spliceTopLevel } from '@model-gateway/json';
import { responseEvent } from '../store/rewriter.ts';

/** Renders a background response with the status `queued`. */
export function renderQueued(body: Record<string, unknown>, requestId: string, fields: Edits): string {
  const { input: _, ...request } = readBody(body);
  const head = renderHead({ id: '', model: '' }, request, { requestId, created: 0 });
  const text = Buffer.from(JSON.stringify({ ...head, status: 'queued' }));
  return spliceTopLevel(text, fields).toString();
}

/** Renders the first events of a background stream. The events of an attempt follow them. */
export function renderWaiting(response: string): string {
  return ['response.created', 'response.queued'].map((type, i) => responseEvent(type, response, i)).join('');
}

/** The number of events that {@link renderWaiting} returns. */
export const waitingEvents = 2;

export function withStatus(response: string, status: string): string {
  return spliceTopLevel(Buffer.from(response), new Map([['status', JSON.stringify(status)]])).toString();
}

export function renderFailed(response: string, error: GatewayError): string {
  const edits = new Map([
    ['status', '"failed"'],
    ['error', JSON.stringify(renderFailure(error))],
  ]);
  return spliceTopLevel(Buffer.from(response), edits).toString();
}
