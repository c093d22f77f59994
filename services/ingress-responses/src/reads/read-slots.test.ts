import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test } from 'vitest';
import { longestWaitMs, mostReads, mostWaiting, ReadSlots } from './read-slots.ts';

const clock = new ManualClock();

/** A read that runs until it is ended. */
function held() {
  const end = Promise.withResolvers<void>();
  return { read: () => end.promise, end: () => end.resolve() };
}

/** Lets what is due run. */
const settle = () => new Promise(resolve => setImmediate(resolve));

test('few reads of a token run at once, and the others run in order', async () => {
  const places = new ReadSlots(clock);
  const ran: number[] = [];
  let running = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      places.run('a', async () => {
        ran.push(i);
        most = Math.max(most, ++running);
        await settle();
        running--;
      }),
    ),
  );
  expect(most).toBe(mostReads.token);
  expect(ran).toEqual(Array.from({ length: 50 }, (_, i) => i));
});

test('the reads of another token run beside those of one with many', async () => {
  const places = new ReadSlots(clock);
  const reads = Array.from({ length: 100 }, held);
  const attack = Promise.all(reads.map(({ read }) => places.run('attacker', read)));
  expect(await places.run('victim', async () => 'read')).toBe('read');
  for (const { end } of reads) end();
  await attack;
});

test('when all places of the process are taken, the next free one is for a token that has none', async () => {
  const places = new ReadSlots(clock);
  const tokens = Array.from({ length: mostReads.process / mostReads.token }, (_, i) => `t${i}`);
  const reads = tokens.flatMap(token => Array.from({ length: 20 }, () => ({ token, ...held() })));
  const all = reads.map(({ token, read }) => places.run(token, read));
  let isRead = false;
  const victim = places.run('victim', async () => {
    isRead = true;
  });
  await settle();
  expect(isRead).toBe(false);
  reads[0]?.end();
  await settle();
  expect(isRead).toBe(true);
  for (const { end } of reads) end();
  await Promise.all([...all, victim]);
});

test('tokens take turns, however many there are', async () => {
  const places = new ReadSlots(clock);
  const counts = new Map<string, number>();
  let left = 400;
  const reader = async (token: string) => {
    while (left > 0)
      await places.run(token, async () => {
        left--;
        counts.set(token, (counts.get(token) ?? 0) + 1);
        await settle();
      });
  };
  // Each has two readers.
  const tokens = Array.from({ length: 2 * mostReads.process }, (_, i) => `t${i}`);
  await Promise.all([...tokens, ...tokens].map(reader));
  expect(counts.size).toBe(tokens.length);
  const sizes = [...counts.values()];
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(4);
});

test('a read that fails frees its place', async () => {
  const places = new ReadSlots(clock);
  for (let i = 0; i < 3 * mostReads.process; i++)
    await expect(places.run('a', () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  expect(await places.run('a', async () => 1)).toBe(1);
});

test('a read whose client left is not run, and waits no longer', async () => {
  const places = new ReadSlots(clock);
  const running = Array.from({ length: mostReads.token }, held);
  const all = running.map(({ read }) => places.run('a', read));
  const left = new AbortController();
  const waiting = places.run('a', () => Promise.reject(new Error('it was run')), left.signal);
  left.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  await expect(places.run('a', async () => {}, left.signal)).rejects.toThrow('left');
  for (const { end } of running) end();
  await Promise.all(all);
  expect(await places.run('a', async () => 1)).toBe(1);
});

test('too many waiting reads, and those that wait too long, are refused with the bound', async () => {
  const places = new ReadSlots(clock);
  const running = Array.from({ length: mostReads.token }, held);
  const all = running.map(({ read }) => places.run('a', read));
  const waiting = Array.from({ length: mostWaiting }, () => places.run('a', async () => {}));
  const settled = Promise.allSettled(waiting);
  await expect(places.run('a', async () => {})).rejects.toMatchObject({
    kind: 'rate-limited',
    message: expect.stringContaining('1000 reads'),
  });
  await clock.advance(longestWaitMs);
  for (const result of await settled)
    expect(result).toMatchObject({
      reason: { kind: 'overloaded', message: expect.stringContaining('waited 10 s') },
    });
  for (const { end } of running) end();
  await Promise.all(all);
  expect(await places.run('a', async () => 1)).toBe(1);
});
