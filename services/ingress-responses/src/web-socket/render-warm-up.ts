import { randomBytes } from 'node:crypto';
import { readBody, renderHead } from '@model-gateway/formats/responses';
import { spliceTopLevel } from '@model-gateway/json';
import { ownItems } from '../store/expand.ts';
import { responseEvent } from '../store/rewriter.ts';
import type { Turn } from '../store/turn.ts';

/** Renders a response without output, which the next request can continue. `text` is the request's JSON, `at` its time. */
export function renderWarmUp(
  text: Buffer,
  fields: Record<string, unknown>,
  at: number,
): { turn: Turn; events: string } {
  const { input: _, ...request } = readBody({
    ...fields,
    previous_response_id: null,
    conversation: null,
    background: null,
  });
  const requestId = `req_${randomBytes(12).toString('hex')}`;
  const created = Math.floor(at / 1_000);
  const head = renderHead({ id: '', model: '' }, request, { requestId, created });
  const before = typeof fields.previous_response_id === 'string' ? [fields.previous_response_id] : [];
  const begun = JSON.stringify({ ...head, previous_response_id: before[0] ?? null });
  const done = spliceTopLevel(
    Buffer.from(begun),
    new Map([
      ['status', '"completed"'],
      ['completed_at', String(created)],
      ['usage', JSON.stringify(noTokens)],
    ]),
  ).toString();
  const meta = { id: head.id, at, before, stream: false };
  return {
    turn: { meta, base: '', input: ownItems(text), response: done },
    events: responseEvent('response.created', begun, 0) + responseEvent('response.completed', done, 1),
  };
}

const noTokens = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};
