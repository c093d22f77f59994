import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const config = readFileSync(new URL('haproxy.cfg', import.meta.url), 'utf8');

test("the edge's WebSocket timeout is longer than the gateway's limit of a WebSocket", () => {
  const hours = Number(/^ *timeout tunnel (\d+)h$/m.exec(config)?.[1]);
  expect(hours).toBeGreaterThan(1);
});
