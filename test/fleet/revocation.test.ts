import { afterAll, beforeAll, expect, test } from 'vitest';
import { revokeOften } from '../../bench/revocation.ts';
import { errorOf, openStream } from './clients.ts';
import { Fleet } from './fleet.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start({ fronts: 3 });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

test('a revocation takes effect on every ingress soon after its response', async () => {
  const { refusedMs, endedMs } = await revokeOften(fleet, 30);
  expect(Math.max(...refusedMs)).toBeLessThan(5_000);
  expect(Math.max(...endedMs)).toBeLessThan(5_000);
});

test('an expired token ends its running streams on every ingress', async () => {
  const expiresAt = Date.now() + 6_000;
  const { token } = await fleet.createToken({ expiresAt: new Date(expiresAt).toISOString() });
  const streams = await Promise.all(
    fleet.fronts.map(({ url }) => openStream(url, token, { model: 'sim-t3000-i20ms' })),
  );
  const ended = await Promise.all(streams.map(stream => stream.ended));
  expect(Date.now()).toBeLessThan(expiresAt + 5_000);
  for (const { text } of ended) expect(errorOf(text)?.message).toBe('This API key has expired.');
});
