import { leaseMs, takeOverMs } from '@model-gateway/bus';
import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test } from 'vitest';
import { Counters } from './counters.ts';
import type { Counted } from './limits.ts';
import { Borrowed, Loans } from './loans.ts';
import { loanMs, type Repaid } from './messages.ts';

const now = 1_000_000;
const limited: Counted[] = [
  { key: '["token","t"]', requestsPerMinute: 320, tokensPerMinute: 64_000, concurrency: 16 },
];
const ask = (id: number, tokens = 100) => ({ id, counted: limited, tokens });

/** A loan that was given back unused. */
const nothingOf = (id: number): Repaid => ({ id, requests: 0, tokens: 0 });

function lending() {
  const counters = new Counters();
  const loans = new Loans(counters);
  /** The number of requests that fit for another process. */
  const free = (at = now) => {
    const { requests } = counters.room(limited, at);
    return requests;
  };
  return { counters, loans, free };
}

test('a part of what is left is lent, and counts until it is given back', () => {
  const { counters, loans, free } = lending();
  counters.decide('p', ask(1), now);
  const loan = loans.lend('p', ask(1), 1, now);
  expect(loan).toMatchObject({ requests: 19, tokens: 1_900, running: 3 });
  expect(counters.room(limited, now)).toEqual({ requests: 300, tokens: 62_000, running: 12 });
  loans.repaid('another process', nothingOf(loan?.id ?? 0), now);
  expect(free()).toBe(300);
  loans.repaid('p', nothingOf(loan?.id ?? 0), now);
  expect(counters.room(limited, now)).toEqual({ requests: 319, tokens: 63_900, running: 15 });
});

test('what was granted of a loan counts, though the messages that told of it were lost', () => {
  const { counters, loans, free } = lending();
  const { id = 0 } = loans.lend('p', ask(1), 1, now) ?? {};
  loans.used('p', { ...ask(2), loan: id }, now);
  counters.grant('p', ask(2), now);
  loans.repaid('p', { id, requests: 3, tokens: 300 }, now);
  expect(free()).toBe(317);
  expect(counters.room(limited, now).tokens).toBe(63_700);
});

test('a request by a loan counts once, and its slot is used again when it has ended', () => {
  const { counters, loans } = lending();
  const { id: loan = 0 } = loans.lend('p', ask(1), 1, now) ?? {};
  const before = counters.room(limited, now);
  for (const id of [2, 3, 4]) {
    loans.used('p', { ...ask(id), loan }, now);
    counters.grant('p', ask(id), now);
    expect(counters.room(limited, now)).toEqual(before);
    loans.ended('p', id, now);
    counters.end('p', id, undefined, now);
    expect(counters.room(limited, now)).toEqual(before);
  }
  loans.repaid('p', nothingOf(loan), now);
  expect(counters.room(limited, now)).toEqual({ requests: 317, tokens: 63_700, running: 16 });
});

test('what is left of a loan whose process is gone counts as used', () => {
  const { counters, loans, free } = lending();
  loans.lend('p', ask(1), 1, now);
  loans.lapse(now + 3_000);
  expect(counters.room(limited, now + 3_000)).toMatchObject({ requests: 300, running: 12 });
  loans.lapse(now + 4_000);
  expect(counters.room(limited, now + 4_000)).toMatchObject({ requests: 300, running: 16 });
  expect(free(now + 63_000)).toBe(300);
  expect(free(now + 65_000)).toBe(320);
});

test('nothing is lent of a small limit, or when little of it is left', () => {
  const { counters, loans } = lending();
  const small = { id: 1, counted: [{ key: 'small', requestsPerMinute: 60 }], tokens: 0 };
  expect(loans.lend('p', small, 1, now)).toBeUndefined();
  expect(loans.lend('p', ask(1), 6, now)).toBeUndefined();
  for (let id = 1; id <= 13; id++) counters.decide('q', ask(id), now);
  expect(loans.lend('p', ask(1), 1, now)).toBeUndefined();
});

test('a process that asks often borrows, and grants no more than it was lent', async () => {
  const repaid: Repaid[] = [];
  const clock = new ManualClock();
  const at = clock.monotonic();
  const borrowed = new Borrowed(loan => repaid.push(loan), clock);
  expect([borrowed.asks(ask(1), at), borrowed.asks(ask(2), at + 10), borrowed.asks(ask(3), at + 11)]).toEqual(
    [false, true, false],
  );
  const decision = { id: 2, requests: { limit: 320, remaining: 300, resetMs: 60_000 } };
  borrowed.take(ask(2), { id: 7, requests: 4, tokens: 1_000, running: 2 }, decision, at);
  const grant = (id: number, tokens = 100) => borrowed.grant(ask(id, tokens), at + 20);
  expect([grant(4), grant(5), grant(6)]).toEqual([
    { loan: 7, decision: { id: 4, requests: { limit: 320, remaining: 299, resetMs: 60_000 } } },
    { loan: 7, decision: { id: 5, requests: { limit: 320, remaining: 298, resetMs: 60_000 } } },
    undefined,
  ]);
  borrowed.ended(4);
  expect(grant(7, 900)).toBeUndefined();
  expect(borrowed.grant({ ...ask(7), counted: [{ key: 'another', concurrency: 1 }] }, at)).toBeUndefined();
  expect(grant(7)?.loan).toBe(7);
  borrowed.ended(5);
  expect(grant(8)?.loan).toBe(7);
  borrowed.ended(7);
  expect(grant(9)).toBeUndefined();
  await clock.advance(500);
  expect(repaid.map(({ id }) => id)).toEqual([7]);
});

test('a loan is not used after its time, nor once another process may count', () => {
  const repaid: Repaid[] = [];
  const clock = new ManualClock();
  const at = clock.monotonic();
  const borrowed = new Borrowed(loan => repaid.push(loan), clock);
  const lend = (id: number) => {
    borrowed.asks(ask(1), at);
    borrowed.take(ask(1), { id, requests: 4, tokens: 1_000, running: 2 }, { id: 1 }, at);
  };
  lend(1);
  expect(borrowed.grant(ask(2), at + 500)).toBeUndefined();
  expect(borrowed.grant(ask(2), at + 499)).toBeDefined();
  lend(2);
  borrowed.clear();
  expect(borrowed.grant(ask(3), at)).toBeUndefined();
  expect(repaid.map(({ id }) => id)).toEqual([1, 2]);
});

test('no loan of a leader that stopped can be used when another one counts', () => {
  expect(leaseMs + loanMs).toBeLessThanOrEqual(takeOverMs);
});
