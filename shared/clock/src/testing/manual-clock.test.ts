import { expect, test } from 'vitest';
import { ManualClock } from './manual-clock.ts';

test('time stands still until it is moved, and timers run in their order', async () => {
  const clock = new ManualClock(1_000);
  const at: number[] = [];
  const note = () => void at.push(clock.now());
  clock.setTimeout(note, 300);
  clock.setTimeout(note, 100);
  const interval = clock.setInterval(note, 200);
  clock.clearTimeout(clock.setTimeout(note, 50));
  expect([clock.now(), clock.waiting]).toEqual([1_000, 3]);
  await clock.advance(300);
  expect(at).toEqual([1_100, 1_200, 1_300]);
  clock.clearInterval(interval);
  await clock.advance(1_000);
  expect([at.length, clock.now(), clock.waiting]).toEqual([3, 2_300, 0]);
});

test('a timer is reset, and a sleep ends early when its signal aborts', async () => {
  const clock = new ManualClock();
  let ran = 0;
  const timer = clock.setTimeout(() => ran++, 100).unref();
  await clock.advance(90);
  timer.refresh();
  await clock.advance(90);
  expect(ran).toBe(0);
  await clock.advance(10);
  expect(ran).toBe(1);
  const aborter = new AbortController();
  const slept = clock.sleep(500, { signal: aborter.signal });
  aborter.abort(new Error('left'));
  await expect(slept).rejects.toThrow('left');
  expect(clock.waiting).toBe(0);
  const done = clock.sleep(500).then(() => clock.monotonic());
  const before = clock.monotonic();
  await clock.advance(500);
  expect((await done) - before).toBe(500);
});

test('what the timers of a moment have caused happens before time moves on', async () => {
  const clock = new ManualClock();
  const start = clock.now();
  const seen: string[] = [];
  const note = (name: string) => () => seen.push(`${name} ${clock.now() - start}`);
  for (const name of ['a', 'b']) clock.setTimeout(note(name), 100);
  clock.setTimeout(note('c'), 150);
  clock.setTimeout(note('late'), 301);
  await clock.advanceEach(300, async () => {
    seen.push(`settled ${clock.now() - start}`);
  });
  expect(seen).toEqual(['a 100', 'b 100', 'settled 100', 'c 150', 'settled 150', 'settled 300']);
});

test('several moves add up', async () => {
  const clock = new ManualClock();
  const start = clock.now();
  let ran = 0;
  clock.setInterval(() => ran++, 10);
  await Promise.all([clock.advance(500), clock.advance(1), clock.advance(499)]);
  expect([clock.now() - start, ran]).toEqual([1_000, 100]);
});

test('timers run late and once in a process that stood still', () => {
  const clock = new ManualClock();
  const start = clock.now();
  const at: number[] = [];
  clock.setTimeout(() => at.push(clock.now() - start), 100);
  clock.setInterval(() => at.push(clock.now() - start), 200);
  clock.jump(1_000);
  expect(at).toEqual([1_000, 1_000]);
});

test('time moves until something has happened, or is over', async () => {
  const clock = new ManualClock();
  let fired = false;
  clock.setTimeout(() => (fired = true), 1_000);
  const before = clock.monotonic();
  await clock.advanceUntil(() => fired);
  expect(clock.monotonic() - before).toBe(1_000);
  await expect(clock.advanceUntil(() => false, { mostMs: 500 })).rejects.toThrow('within 500 ms');
});
