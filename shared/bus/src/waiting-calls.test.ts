import { expect, test } from 'vitest';
import {
  claimEachMs,
  maxWaiting,
  type ProjectLine,
  placesPerLeft,
  type WaitingCall,
  WaitingCalls,
} from './waiting-calls.ts';

/** A pool of one worker, and the calls that wait for it. */
class Pool {
  /** Slots that are free for each project; for all projects together where absent. */
  free = 0;
  readonly away = new Set<string>();
  readonly opened: string[] = [];
  readonly waiting = new WaitingCalls((_, project) => this.free > 0 && !this.away.has(project));

  /** Lets a call wait. */
  wait(name: string, options: Options = {}): { call: TestCall; refusal: ReturnType<WaitingCalls['wait']> } {
    const call = new TestCall(this, name, options);
    return { call, refusal: this.waiting.wait(call, options.now ?? 0) };
  }

  /** Frees places, and returns the names of the calls that get them. */
  serve(places: number, now = 0): string {
    this.opened.length = 0;
    this.free += places;
    this.waiting.dispatch('p');
    for (const call of opened.splice(0)) this.waiting.accepted(call, false, now);
    return this.opened.join(' ');
  }
}

interface Options {
  weight?: number;
  token?: string;
  bytes?: number;
  /** The largest body for which the worker has memory. */
  room?: number;
  now?: number;
  queueUntil?: number;
  isAgain?: boolean;
}

const opened: TestCall[] = [];

/** A call; its name begins with its project. */
class TestCall implements WaitingCall {
  readonly pool = 'p';
  readonly name: string;
  readonly weight: number;
  readonly queueUntil: number;
  readonly isAgain: boolean;
  readonly slotRequest: WaitingCall['slotRequest'];
  isOpen = false;
  line: ProjectLine | undefined;
  readonly #pool: Pool;
  readonly #room: number;

  constructor(pool: Pool, name: string, options: Options) {
    const { weight = 1, token = name.charAt(0), bytes = 0, queueUntil = 10_000 } = options;
    this.#pool = pool;
    this.name = name;
    this.weight = weight;
    this.queueUntil = queueUntil;
    this.isAgain = options.isAgain ?? false;
    this.#room = options.room ?? Number.POSITIVE_INFINITY;
    this.slotRequest = { token, project: name.charAt(0), bytes };
  }

  claim(worker: string): void {
    this.isOpen = true;
    this.#pool.opened.push(`${this.name}@${worker}`);
  }

  open(): boolean {
    if (this.#pool.free === 0 || this.slotRequest.bytes > this.#room) return false;
    this.#pool.free--;
    this.#pool.opened.push(this.name);
    this.isOpen = true;
    opened.push(this);
    return true;
  }
}

test('calls of a project are served in order, and a new one overtakes none', () => {
  const pool = new Pool();
  for (const name of ['a1', 'a2', 'a3']) pool.wait(name);
  expect(pool.serve(2)).toBe('a1 a2');
  const newest = pool.wait('a4').call;
  expect(pool.waiting.precede(newest)).toBe(true);
  pool.free = 1;
  pool.wait('a5');
  expect([newest.isOpen, pool.opened.at(-1)]).toEqual([false, 'a3']);
});

test('the tokens of a project take turns, and each one is served in order', () => {
  const pool = new Pool();
  for (const name of ['a1', 'a2', 'a3']) pool.wait(name, { token: 'greedy' });
  for (const name of ['a4', 'a5']) pool.wait(name, { token: 'other' });
  expect(pool.serve(5)).toBe('a1 a4 a2 a5 a3');
});

test('a call without room for its body is overtaken by a smaller one, and by another token', () => {
  const pool = new Pool();
  for (const name of ['a1', 'a2']) pool.wait(name, { bytes: 1_000, room: 500 });
  pool.wait('a3', { bytes: 100 });
  pool.wait('a4', { token: 'other' });
  expect(pool.serve(4)).toBe('a3 a4');
  expect(pool.waiting.count).toBe(2);
});

test.each([
  [
    { a: 1, b: 1 },
    { a: 20, b: 20 },
  ],
  [
    { a: 3, b: 1 },
    { a: 30, b: 10 },
  ],
  [
    { a: 0.5, b: 2 },
    { a: 8, b: 32 },
  ],
])('projects are served by weight: %o', (weights, served) => {
  const pool = new Pool();
  for (let i = 0; i < 40; i++)
    for (const [name, weight] of Object.entries(weights)) pool.wait(`${name}${i}`, { weight });
  const names = Array.from({ length: 40 }, () => pool.serve(1));
  const count = (project: string) => names.filter(name => name.startsWith(project)).length;
  expect({ a: count('a'), b: count('b') }).toEqual(served);
});

test('a project that begins to wait has no claim to turns that it did not need', () => {
  const pool = new Pool();
  for (let i = 0; i < 30; i++) pool.wait('a');
  for (let i = 0; i < 10; i++) pool.serve(1);
  for (let i = 0; i < 10; i++) pool.wait('b');
  expect(pool.serve(8).split(' ').toSorted().join('')).toBe('aaaabbbb');
});

test('a refused call keeps its turn and its place in line, while other projects are served', () => {
  const pool = new Pool();
  const { call } = pool.wait('a1');
  pool.wait('a2');
  pool.wait('b1');
  pool.free = 1;
  pool.waiting.dispatch('p');
  opened.length = 0;
  expect(call.isOpen).toBe(true);
  call.isOpen = false;
  pool.away.add('a');
  pool.waiting.refused(call, 'project');
  expect(pool.serve(1)).toBe('b1');
  pool.away.clear();
  expect(pool.serve(2)).toBe('a1 a2');
  expect(pool.waiting.count).toBe(0);
});

test('more calls of a project than the bound are refused, and other projects wait', () => {
  const pool = new Pool();
  for (let i = 0; i < maxWaiting.project; i++) expect(pool.wait('a').refusal).toBeUndefined();
  expect(pool.wait('a').refusal).toEqual({ waitMs: undefined, overShare: undefined });
  expect(pool.wait('b').refusal).toBeUndefined();
  expect(pool.waiting.count).toBe(maxWaiting.project + 1);
  expect(pool.serve(1)).toBe('a');
  expect(pool.wait('a').refusal).toBeUndefined();
});

test('more calls than the bound for all projects are refused', () => {
  const pool = new Pool();
  for (let i = 0; i < maxWaiting.all; i++) pool.wait('abcdef'.charAt(i % 6));
  expect(pool.wait('g').refusal).toBeDefined();
  expect(pool.waiting.count).toBe(maxWaiting.all);
});

test('a call that cannot be served in time is refused once it is known how fast its project is served', () => {
  const pool = new Pool();
  for (let i = 0; i < 40; i++) expect(pool.wait('a').refusal).toBeUndefined();
  // Four a second: each further one of forty would wait for ten seconds.
  let now = 1_000;
  for (let i = 0; i < 8; i++, now += 250) {
    expect(pool.wait('a', { now, queueUntil: now }).refusal).toBeUndefined();
    pool.serve(1, now);
  }
  const { refusal, call } = pool.wait('a', { now, queueUntil: now + 5_000 });
  expect(refusal?.waitMs).toBeCloseTo(41 * 250, -2);
  expect(call.line).toBeUndefined();
  expect(pool.wait('a', { now, queueUntil: now + 11_000 }).refusal).toBeUndefined();
  // Its token would have the second turn.
  expect(pool.wait('a', { now, queueUntil: now + 5_000, token: 'other' }).refusal).toBeUndefined();
  expect(pool.wait('b', { now, queueUntil: now + 5_000 }).refusal).toBeUndefined();
});

test('the expected wait follows a change of the rate', () => {
  const pool = new Pool();
  for (let i = 0; i < 200; i++) pool.wait('a');
  for (let now = 0; now < 10_000; now += 1_000) pool.serve(1, now);
  for (let now = 10_000; now < 11_000; now += 10) pool.serve(1, now);
  const wait = pool.wait('a', { now: 11_000, queueUntil: 11_000 }).refusal?.waitMs ?? 0;
  expect(wait / (91 * 10)).toBeCloseTo(1, 1);
});

test('every eighth place that becomes free is left to other processes', () => {
  const { waiting } = new Pool();
  const left = Array.from({ length: 2 * placesPerLeft }, () => waiting.leavesSlot());
  expect(left.flatMap((isLeft, i) => (isLeft ? [i] : []))).toEqual([7, 15]);
});

test('a call that is cancelled leaves its line', () => {
  const pool = new Pool();
  const { call } = pool.wait('a1');
  pool.wait('a2');
  pool.waiting.remove(call);
  pool.waiting.remove(call);
  expect([pool.waiting.count, pool.serve(2), pool.waiting.count]).toEqual([1, 'a2', 0]);
});

test('a call whose request had its turn comes before those that had none, and is not refused early', () => {
  const pool = new Pool();
  for (let i = 0; i < 20; i++) pool.wait(`a${i}`, { now: 0 });
  for (let at = 1; at <= 10; at++) pool.serve(1, at * 1_000);
  expect(pool.wait('a-new', { now: 10_000, queueUntil: 12_000 }).refusal).toBeDefined();
  const late = { now: 10_000, queueUntil: 12_000, isAgain: true };
  expect(pool.wait('a-again', late).refusal).toBeUndefined();
  expect(pool.wait('a-other', { ...late, token: 'other' }).refusal).toBeUndefined();
  expect(pool.serve(3)).toBe('a-again a-other a10');
});

test('each project without room asks a full worker with its last call, once a second', () => {
  const pool = new Pool();
  pool.wait('a1');
  pool.wait('b1');
  const { call } = pool.wait('b2', { token: 'other' });
  const claims = (now: number) => {
    pool.opened.length = 0;
    pool.waiting.claim('p', 'w', now);
    return pool.opened.join(' ');
  };
  expect([claims(0), claims(100)]).toEqual(['a1@w b2@w', '']);
  // The calls whose turn is next are still in line.
  expect(pool.serve(1)).toBe('b1');
  expect(claims(claimEachMs)).toBe('');
  call.isOpen = false;
  expect(claims(2 * claimEachMs)).toBe('b2@w');
  call.isOpen = false;
  pool.free = 1;
  expect(claims(3 * claimEachMs)).toBe('');
});
