import { expect, test } from 'vitest';
import { createRequestId } from '../serve/app.ts';

test('ids of requests begin with their time and differ', () => {
  const before = Date.now();
  const ids = Array.from({ length: 1_000 }, createRequestId);
  const after = Date.now();
  for (const id of ids) {
    expect(id).toMatch(/^req_[0-9a-f]{24}$/);
    const time = Number.parseInt(id.slice(4, 16), 16);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(after);
  }
  expect(new Set(ids).size).toBe(ids.length);
});
