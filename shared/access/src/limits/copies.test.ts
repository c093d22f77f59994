import { expect, test } from 'vitest';
import { CountsCopy } from './copies.ts';
import { Counters } from './counters.ts';
import type { CopiedCount } from './messages.ts';

const now = 1_000_000;
const counted = [{ key: 'token', requestsPerMinute: 160, tokensPerMinute: 1_600 }];

/** Counters, and a copy of them whose clock began at another time. */
function copying() {
  const counters = new Counters();
  const copy = new CountsCopy();
  let number = 0;
  const tell = (counts: CopiedCount[], at: number) =>
    copy.read({ term: 5, number: ++number, at, counts }, at - now);
  const whole = { term: 5, number: 0, at: now, counts: counters.tellAll(now) };
  copy.read({ ...whole, first: true, left: 0 }, 0);
  /** The amounts that a next leader would count. */
  const copied = (at: number) => {
    const next = new Counters();
    next.addPast(copy.known(at - now).past, at - now);
    const { requests, tokens } = next.room(counted, at - now);
    return { requests: 160 - requests, tokens: 1_600 - tokens };
  };
  let id = 0;
  const grant = (at: number, tokens = 10) => counters.grant('p', { id: ++id, counted, tokens }, at);
  return { counters, copy, tell, copied, grant };
}

test('a copy knows what was granted for as long as it counts', () => {
  const { counters, tell, copied, grant } = copying();
  grant(now);
  tell(counters.tellAhead(counted, now), now);
  expect(copied(now)).toEqual({ requests: 1, tokens: 10 });
  grant(now + 10_000);
  tell(counters.tellChanges(now + 10_000), now + 10_000);
  expect(copied(now + 59_000)).toEqual({ requests: 2, tokens: 20 });
  expect(copied(now + 65_000)).toEqual({ requests: 1, tokens: 10 });
  expect(copied(now + 75_000)).toEqual({ requests: 0, tokens: 0 });
});

test('of limits that are used often, the use of a second is told ahead, at most a sixteenth of what is left', () => {
  const { counters, tell, copied, grant } = copying();
  grant(now);
  tell(counters.tellAhead(counted, now), now);
  expect(counters.isTold(counted, now)).toBe(true);
  grant(now + 200);
  expect(counters.isTold(counted, now + 200)).toBe(false);
  // Ten a second.
  tell(counters.tellAhead(counted, now + 200), now + 200);
  expect(copied(now + 200)).toEqual({ requests: 2 + 5, tokens: 20 + 50 });
  for (let granted = 0; granted < 5; granted++) {
    grant(now + 200);
    expect(counters.isTold(counted, now + 200)).toBe(true);
  }
  expect(copied(now + 200)).toEqual({ requests: 7, tokens: 70 });
  tell(counters.tellChanges(now + 1_000), now + 1_000);
  expect(copied(now + 1_000)).toEqual({ requests: 7, tokens: 70 });
});

test('what is lent counts in a copy, and corrections reach it', () => {
  const { counters, tell, copied, grant } = copying();
  grant(now, 500);
  counters.lend(counted, { requests: 8, tokens: 80, running: 1 }, now);
  tell(counters.tellAhead(counted, now), now);
  expect(copied(now)).toEqual({ requests: 9, tokens: 580 });
  counters.lend(counted, { requests: -8, tokens: -80, running: -1 }, now);
  counters.end('p', 1, 20, now + 5_000);
  tell(counters.tellChanges(now + 5_000), now + 5_000);
  expect(copied(now + 5_000)).toEqual({ requests: 1, tokens: 20 });
});

test('a copy that missed a message, or a part of a whole copy, says so', () => {
  const { copy } = copying();
  const part = { term: 5, at: now, counts: [] };
  const count = { key: 'token', spare: [0, 0], from: 0, slots: [] } satisfies CopiedCount;
  expect(copy.read({ ...part, number: 0 }, 0)).toBe(true);
  expect(copy.read({ ...part, number: 2, counts: [count] }, 0)).toBe(false);
  expect(copy.read({ ...part, number: 2 }, 0)).toBe(false);
  expect(copy.read({ ...part, term: 6, number: 1, counts: [count] }, 0)).toBe(false);
  expect(copy.read({ ...part, number: 2, left: 1, first: true }, 0)).toBe(true);
  expect(copy.version).toEqual({ term: 5, number: 0 });
  expect(copy.read({ ...part, number: 2, left: 0 }, 0)).toBe(true);
  expect(copy.version).toEqual({ term: 5, number: 2 });
  expect(copy.read({ ...part, number: 3, left: 0 }, 0)).toBe(false);
});
