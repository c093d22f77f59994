import { expect, test } from 'vitest';
import { paceOf } from './pace.ts';

test.each([
  ['gpt-anything', null, 20, 0],
  ['sim-1', null, 20, 0],
  ['sim', null, 20, 0],
  ['sim-fast', null, 0, 0],
  ['sim-slow', null, 200, 0],
  ['house/sim-fast', null, 0, 0],
  ['a/b/sim-t200', 200, 0, 0],
  ['sim-t200-i10ms-f50ms', 200, 10, 50],
  ['sim-f1.5s-i1s', null, 1_000, 1_500],
  ['sim-slow-t3', 3, 200, 0],
  ['sim-t0', 0, 0, 0],
  ['sim-i10', null, 20, 0],
  ['sim-t99999999999-f9999s', 1_000_000, 0, 600_000],
  ['simple-t200', null, 20, 0],
  ['fault-stall', null, 0, 0],
  ['some/fault-stall-t50-i10ms', 50, 10, 0],
  ['fault-slow', null, 0, 2_000],
  ['fault-slow-500ms', null, 0, 500],
])('%s', (model, tokens, intervalMs, firstMs) => {
  expect(paceOf(model)).toEqual({ tokens, intervalMs, firstMs });
});
