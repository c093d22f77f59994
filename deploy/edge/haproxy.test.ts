import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const config = readFileSync(new URL('haproxy.cfg', import.meta.url), 'utf8');

test('a WebSocket may be open for longer than the gateway leaves one open, silent or not', () => {
  const hours = Number(/^ *timeout tunnel (\d+)h$/m.exec(config)?.[1]);
  expect(hours).toBeGreaterThan(1);
});
