import { expect, test } from 'vitest';
import { claimMs, ProjectSlots, Slots, seenMs } from './slots.ts';

let tokens = 0;

/** The clients of some projects, each request with a token of its own, at a worker. */
class Clients {
  readonly places: Slots;
  /** In milliseconds. */
  now = 0;
  readonly #running = new Map<string, (() => void)[]>();

  constructor(capacity: number) {
    this.places = new Slots(capacity);
  }

  /** Asks for places until one is refused or there are `most`; returns the number that the project has then. */
  fill(project: string, { weight = 1, most = Number.POSITIVE_INFINITY } = {}): number {
    const running = this.#running.get(project) ?? [];
    this.#running.set(project, running);
    while (running.length < most) {
      const token = { id: `${tokens++}`, project, weight };
      if (this.places.refuses(token, 0, this.now)) break;
      this.places.take(token, 0);
      running.push(() => this.places.release(token, 0));
    }
    return running.length;
  }

  /** Ends calls of a project: all, or some. */
  end(project: string, count = Number.POSITIVE_INFINITY): void {
    for (const end of this.#running.get(project)?.splice(0, count) ?? []) end();
  }
}

test('a project that is the only one gets every place, and four fifths once another was seen, for ten minutes', () => {
  const clients = new Clients(10);
  expect(clients.fill('a')).toBe(10);
  clients.end('a');
  clients.fill('b', { most: 1 });
  clients.end('b');
  clients.now = 2 * claimMs;
  expect(clients.fill('a')).toBe(8);
  clients.now = seenMs - 1;
  expect(clients.fill('a')).toBe(8);
  clients.now = seenMs;
  expect(clients.fill('a')).toBe(10);
});

test.each([
  [10, { a: 1, b: 1 }, { a: 4, b: 4 }],
  [10, { a: 3, b: 1 }, { a: 6, b: 2 }],
  [10, { a: 0.3, b: 0.1 }, { a: 6, b: 2 }],
  [4, { a: 3, b: 1 }, { a: 3, b: 1 }],
  [2_000, { a: 2, b: 1, c: 1 }, { a: 800, b: 400, c: 400 }],
])('busy projects share the places of %i by weight %o: %o', (capacity, weights, shares) => {
  const clients = new Clients(capacity);
  const names = Object.keys(weights) as (keyof typeof weights)[];
  for (const name of names) clients.fill(name, { weight: weights[name], most: 1 });
  // The first one has all that it can get, and its calls end one by one.
  for (let round = 0; round < 4 * capacity; round++) {
    clients.now += 10;
    for (const name of names) clients.fill(name, { weight: weights[name] });
    clients.end(names[round % names.length] as string, 1);
    for (const name of names) clients.fill(name, { weight: weights[name] });
  }
  expect(
    Object.fromEntries(names.map(name => [name, clients.fill(name, { weight: weights[name] })])),
  ).toEqual(shares);
});

test('a project below its share gets reserved places at once, and then each that becomes free', () => {
  const clients = new Clients(10);
  clients.fill('b', { most: 1 });
  clients.end('b');
  clients.now = 2 * claimMs;
  expect(clients.fill('a')).toBe(8);
  expect(clients.fill('b')).toBe(2);
  for (const places of [3, 4]) {
    clients.end('a', 1);
    expect(clients.fill('a')).toBe(10 - places);
    expect(clients.fill('b')).toBe(places);
  }
});

test('places that a project used a moment ago are kept for it, and given to others soon after', () => {
  const clients = new Clients(20);
  expect(clients.fill('b', { most: 6 })).toBe(6);
  expect(clients.fill('a')).toBe(10);
  clients.end('b');
  expect(clients.fill('a')).toBe(10);
  expect(clients.fill('b', { most: 6 })).toBe(6);
  clients.end('b');
  clients.now += 2 * claimMs;
  expect(clients.fill('a')).toBe(16);
});

test('a project may exceed its share while others leave places unused', () => {
  const clients = new Clients(20);
  clients.fill('b', { most: 1 });
  expect(clients.fill('a')).toBe(15);
});

test.each([1, 2, 3, 4])(
  'of %i places none stays free while more projects ask than there are places',
  capacity => {
    const clients = new Clients(capacity);
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (let round = 0; round < 50; round++) {
      clients.now += 10;
      for (const name of names) clients.fill(name);
      expect(clients.places.taken).toBe(capacity);
      clients.end(names[round % names.length] as string);
    }
  },
);

test('a project that asked for no place lately is forgotten', () => {
  const projects = new ProjectSlots(10);
  for (let i = 0; i < 1_000; i++) projects.asks(`${i}`, 1, 0);
  expect(projects.size).toBe(1_000);
  projects.asks('a', 1, claimMs);
  projects.asks('a', 1, 2 * claimMs);
  expect(projects.size).toBe(1);
});
