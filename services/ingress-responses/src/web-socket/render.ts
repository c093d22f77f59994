import { randomBytes } from 'node:crypto';
import { spliceTopLevel } from '@model-gateway/canonical';
import { sseEvent } from '@model-gateway/sse';
import { readBody } from '../body/parse.ts';
import { renderHead } from '../head/render.ts';
import { ownItems } from '../stored/prepare.ts';
import type { Turn } from '../stored/turn.ts';

/** A response without output, that the next one can go on from; `text` is the request. */
export function renderWarmUp(text: Buffer, fields: Record<string, unknown>): { turn: Turn; events: string } {
  const { input: _, ...asked } = readBody({
    ...fields,
    previous_response_id: null,
    conversation: null,
    background: null,
  });
  const requestId = `req_${randomBytes(12).toString('hex')}`;
  const created = Math.floor(Date.now() / 1_000);
  const head = renderHead({ id: '', model: '' }, asked, { requestId, created });
  const before = typeof fields.previous_response_id === 'string' ? [fields.previous_response_id] : [];
  const begun = Buffer.from(JSON.stringify({ ...head, previous_response_id: before[0] ?? null }));
  const done = spliceTopLevel(
    begun,
    new Map([
      ['status', '"completed"'],
      ['completed_at', String(created)],
      ['usage', JSON.stringify(noTokens)],
    ]),
  ).toString();
  const meta = { id: head.id, at: Date.now(), before, stream: false };
  const event = (type: string, number: number, response: unknown) =>
    sseEvent(`{"type":"${type}","sequence_number":${number},"response":${response}}`, type);
  return {
    turn: { meta, base: '', input: ownItems(text), response: done },
    events: event('response.created', 0, begun) + event('response.completed', 1, done),
  };
}

const noTokens = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};
