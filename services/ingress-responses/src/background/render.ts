import { type Edits, type GatewayError, spliceTopLevel } from '@model-gateway/canonical';
import { sseEvent } from '@model-gateway/sse';
import { readBody } from '../body/parse.ts';
import { renderFailure } from '../failure/render.ts';
import { renderHead } from '../head/render.ts';

/** A response that waits for its turn. */
export function renderQueued(body: Record<string, unknown>, requestId: string, fields: Edits): string {
  const { input: _, ...asked } = readBody(body);
  const head = renderHead({ id: '', model: '' }, asked, { requestId, created: 0 });
  const text = Buffer.from(JSON.stringify({ ...head, status: 'queued' }));
  return spliceTopLevel(text, fields).toString();
}

/** The first events of its stream; what an attempt adds begins after them. */
export function renderWaiting(response: string): string {
  return ['response.created', 'response.queued']
    .map((type, i) => sseEvent(`{"type":"${type}","sequence_number":${i},"response":${response}}`, type))
    .join('');
}

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

/** The last event of a stream that was cancelled: the format has none of its own for it. */
export function renderCancelled(response: string, number: number): string {
  const type = 'response.incomplete';
  const event = sseEvent(`{"type":"${type}","sequence_number":${number},"response":${response}}`, type);
  return event + sseEvent('[DONE]');
}
