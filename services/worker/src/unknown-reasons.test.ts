import { Registry } from '@model-gateway/service';
import { expect, test } from 'vitest';
import { noteReasons } from './unknown-reasons.ts';

test('a finish reason that is not known is logged and counted by its provider, and no other', async () => {
  const metrics = new Registry();
  const lines: object[] = [];
  const catalog = { provider: (name: string) => (name === 'acme' ? ({} as never) : undefined) };
  const note = noteReasons(catalog, metrics, { warn: (line: object) => void lines.push(line) } as never);
  const call = { envelope: { requestId: 'r', model: 'asked' } };
  const answer = { call, upstream: { provider: 'acme' }, input: { model: 'up' } };
  note('brand_new', answer);
  note('x'.repeat(1_000), { ...answer, upstream: { provider: 'gone' } });
  for (const known of ['OTHER', 'malformed_tool_use', null]) note(known, answer);
  expect(lines).toEqual([
    { requestId: 'r', model: 'asked', target: { provider: 'acme', model: 'up' }, finishReason: 'brand_new' },
    expect.objectContaining({ finishReason: 'x'.repeat(100) }),
  ]);
  const counted = await metrics.getSingleMetricAsString('gateway_unknown_finish_reasons_total');
  expect(counted).toContain('gateway_unknown_finish_reasons_total{provider="acme"} 1');
  expect(counted).toContain('gateway_unknown_finish_reasons_total{provider="other"} 1');
});
