import { expect, test } from 'vitest';
import { Counters } from './counters.ts';
import type { Counted } from './limits.ts';
import type { Decision } from './messages.ts';

const now = 1_000_000;
let lastId = 0;

function asker(counters: Counters, counted: Counted[], process = 'p') {
  return (tokens = 0, at = now): Decision => counters.decide(process, { id: ++lastId, counted, tokens }, at);
}

test('requests are granted up to the limit, and a refused one counts for nothing', () => {
  const counters = new Counters();
  const both = asker(counters, [
    { key: 'token', requestsPerMinute: 10 },
    { key: 'project', requestsPerMinute: 3 },
  ]);
  expect([both(), both(), both()].map(({ exceeded }) => exceeded)).toEqual([undefined, undefined, undefined]);
  expect(both()).toMatchObject({
    exceeded: { key: 'project', limit: 'requestsPerMinute', value: 3 },
    requests: { limit: 3, remaining: 0 },
  });
  expect(both().exceeded?.waitMs).toBeGreaterThan(59_000);
  const token = asker(counters, [{ key: 'token', requestsPerMinute: 10 }]);
  expect(token().requests).toMatchObject({ limit: 10, remaining: 6 });
  expect(both(0, now + 61_000).exceeded).toBeUndefined();
});

test('tokens are reserved by an estimate, which is corrected once the use is known, upwards too', () => {
  const counters = new Counters();
  const ask = asker(counters, [{ key: 'token', tokensPerMinute: 1_000 }]);
  const first = ask(800);
  expect(first.tokens).toMatchObject({ limit: 1_000, remaining: 200 });
  expect(ask(300).exceeded).toMatchObject({ limit: 'tokensPerMinute', value: 1_000 });
  counters.end('p', first.id, 100, now + 5_000);
  expect(ask(300, now + 5_000).tokens).toMatchObject({ remaining: 600 });
  expect(ask(1_001).exceeded).not.toHaveProperty('waitMs');
  const { id } = ask(100, now + 5_000);
  counters.end('p', id, 1_500, now + 5_000);
  expect(ask(1, now + 5_000).exceeded?.waitMs).toBeGreaterThan(59_000);
});

test('a request that a loan leaves no room for may be tried again, since it fits the limit', () => {
  const counters = new Counters();
  const counted = [{ key: 'token', tokensPerMinute: 1_000 }];
  const ask = { id: ++lastId, counted, tokens: 950 };
  counters.lend(counted, { requests: 10, tokens: 100, running: 0 }, now);
  expect(counters.decide('p', ask, now).exceeded).toMatchObject({ waitMs: 1_000 });
  counters.lend(counted, { requests: -10, tokens: -100, running: 0 }, now);
  expect(counters.decide('p', ask, now).exceeded).toBeUndefined();
});

test('running requests are limited, and end once', () => {
  const counters = new Counters();
  const ask = asker(counters, [{ key: 'token', concurrency: 2 }]);
  const [first] = [ask(), ask()];
  expect(ask().exceeded).toEqual({ key: 'token', limit: 'concurrency', value: 2 });
  counters.end('p', first?.id ?? 0, undefined, now);
  counters.end('p', first?.id ?? 0, undefined, now);
  expect(ask().exceeded).toBeUndefined();
  expect(ask().exceeded).toBeDefined();
});

test('the requests of a process end with it, or when it does not name them any more', () => {
  const counters = new Counters();
  const counted = [{ key: 'token', concurrency: 2 }];
  const a = asker(counters, counted, 'a');
  const b = asker(counters, counted, 'b');
  const [ofA] = [a(), b()];
  expect(a().exceeded).toBeDefined();
  counters.endAll('b', now);
  expect(a().exceeded).toBeUndefined();
  counters.keepOnly('a', new Set([ofA?.id ?? 0]), now + 1, now + 1);
  expect(a().exceeded).toBeUndefined();
  expect(a().exceeded).toBeDefined();
});

test('a request that was served late counts from then on', () => {
  const counters = new Counters();
  const counted = [{ key: 'token', requestsPerMinute: 3, tokensPerMinute: 100 }];
  const ask = asker(counters, counted);
  const [first] = [ask(30), ask(30)];
  counters.delay('p', first?.id ?? 0, now + 8_000);
  counters.end('p', first?.id ?? 0, 20, now + 8_000);
  expect(counters.room(counted, now + 8_000)).toMatchObject({ requests: 1, tokens: 50 });
  expect(counters.room(counted, now + 61_000)).toMatchObject({ requests: 2, tokens: 80 });
  expect(counters.room(counted, now + 69_000)).toMatchObject({ requests: 3, tokens: 100 });
});

test('counts can be moved to another process', () => {
  const counters = new Counters();
  const counted = [{ key: 'token', requestsPerMinute: 5, tokensPerMinute: 100, concurrency: 9 }];
  const ask = asker(counters, counted);
  const { id } = ask(30);
  ask(30);
  const later = now + 20_000;
  const other = new Counters();
  const at = 77;
  other.addPast(counters.past(later), at);
  other.resume('p', { id, counted, tokens: 30 }, at - 20_000, at);
  const decide = (tokens: number) => other.decide('q', { id: 1, counted, tokens }, at);
  expect(decide(41).exceeded).toMatchObject({ limit: 'tokensPerMinute' });
  expect(decide(40)).toMatchObject({ requests: { remaining: 2 }, tokens: { remaining: 0 } });
  other.end('p', id, 10, at);
  expect(other.decide('q', { id: 2, counted, tokens: 20 }, at).tokens).toMatchObject({ remaining: 0 });
});
