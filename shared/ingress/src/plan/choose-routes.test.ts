import { GatewayError } from '@model-gateway/canonical';
import { testRoute } from '@model-gateway/canonical/testing/envelope';
import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test } from 'vitest';
import { TargetHealth } from '../health/target-health.ts';
import { type Candidate, type ChooseOptions, chooseRoutes } from './choose-routes.ts';

// Time stands still, so that no pause of this process is measured.
const clock = new ManualClock();
const now = clock.now();
const routes = (...fields: Partial<Candidate>[]): Candidate[] =>
  fields.map((each, at) => ({ route: testRoute({ provider: `p${at}` }), ...each }));
const weights = (...each: (number | undefined)[]) =>
  routes(...each.map(weight => (weight === undefined ? {} : { weight })));
const order = (candidates: Candidate[], options: Partial<ChooseOptions> = {}) =>
  chooseRoutes(candidates, {
    strategy: undefined,
    kind: 'streamed',
    health: new TargetHealth('', clock),
    now,
    random: () => 0,
    ...options,
  })
    .map(({ provider }) => provider)
    .join();
const drawn = (candidates: Candidate[], random: number) => order(candidates, { random: () => random });

test('targets without weights keep the file order', () => {
  expect(drawn(routes({}, {}, {}), 0.99)).toBe('p0,p1,p2');
});

test.each([
  [0, 'p0,p1,p2,p3'],
  [0.2499, 'p0,p1,p2,p3'],
  [0.25, 'p2,p0,p1,p3'],
  [0.4999, 'p2,p0,p1,p3'],
  [0.5, 'p3,p0,p1,p2'],
  [0.9999, 'p3,p0,p1,p2'],
])('the weights 1, 0, 1, 2 and a draw of %d give the order %s', (random, expected) => {
  expect(drawn(weights(1, 0, 1, 2), random)).toBe(expected);
});

test('a target without a weight counts as weight 0 if others have one', () => {
  expect(drawn(weights(undefined, 1), 0)).toBe('p1,p0');
});

test('targets whose weights are all 0 keep the file order', () => {
  expect(drawn(weights(0, 0), 0.7)).toBe('p0,p1');
});

test('a draw rounded past the last weight picks the last target with a weight', () => {
  expect(drawn(weights(0.1, 0.2, 0), 1)).toBe('p1,p0,p2');
});

test('`ordered` keeps the file order whatever the weights', () => {
  expect(order(weights(0, 3), { strategy: 'ordered' })).toBe('p0,p1');
});

test('`least-busy` begins with the target that has the fewest running requests', () => {
  const health = new TargetHealth('', clock);
  const candidates = routes({}, {}, {});
  for (const at of [0, 0, 1, 2, 2]) health.begin(candidates[at]?.route as never, now, 'streamed');
  expect(order(candidates, { strategy: 'least-busy', health })).toBe('p1,p0,p2');
});

test('`cheapest` begins with the lowest price; targets without a price come last', () => {
  const price = (input: number, output: number) => ({ price: { input, output } });
  const candidates = routes({}, price(3, 15), price(0.1, 0.4), {});
  expect(order(candidates, { strategy: 'cheapest' })).toBe('p2,p1,p0,p3');
});

test('`fastest` begins with the faster of two random targets', () => {
  const health = new TargetHealth('', clock);
  const candidates = routes({}, {}, {});
  for (const [at, ms] of [400, 100, 200].entries()) {
    const attempt = health.begin(candidates[at]?.route as never, now - ms, 'streamed');
    attempt.began();
    attempt.ended();
  }
  const strategy = 'fastest';
  const draws = (...numbers: number[]) =>
    ({ strategy, health, now, random: () => numbers.shift() ?? 0 }) as const;
  expect(order(candidates, draws(0, 0))).toBe('p1,p2,p0');
  expect(order(candidates, draws(0, 0.6))).toBe('p2,p1,p0');
  expect(order(candidates, draws(0.4, 0))).toBe('p1,p2,p0');
});

const asking = new GatewayError('rate-limited', 'Slow down.', {
  retryAfterMs: 20_000,
  upstream: { provider: 'p', status: 429 },
});

test('of the targets that rest, the one whose rest ends first comes last, and the others not at all', () => {
  const health = new TargetHealth('', clock);
  const candidates = routes({}, {}, {});
  const rest = (at: number, retryAfterMs: number) =>
    health
      .begin(candidates[at]?.route as never, now, 'streamed')
      .ended(new GatewayError('rate-limited', '', { ...asking.details, retryAfterMs }));
  rest(0, 20_000);
  expect(order(candidates, { health, now })).toBe('p1,p2,p0');
  rest(1, 5_000);
  rest(2, 60_000);
  expect(order(candidates, { health, now })).toBe('p1');
});

test('`fastest` sends one request to a target that was not measured, and others elsewhere until it is', () => {
  const health = new TargetHealth('', clock);
  const candidates = routes({}, {});
  const measured = health.begin(candidates[1]?.route as never, now - 50, 'streamed');
  measured.began();
  const fastest = () => order(candidates, { strategy: 'fastest', health, now });
  expect(fastest()).toBe('p0,p1');
  health.begin(candidates[0]?.route as never, now, 'streamed');
  expect(fastest()).toBe('p1,p0');
});

const conversations = Array.from({ length: 300 }, (_, at) => `conversation ${at}`);
/** The first target of each conversation. */
const firsts = (candidates: Candidate[], options: Partial<ChooseOptions> = {}) =>
  conversations.map(text => order(candidates, { conversation: () => text, ...options }).split(',')[0]);

test.each(['weighted', 'least-busy', 'fastest', 'cheapest'] as const)(
  'with `%s`, a conversation has one target whatever is drawn, and conversations are spread',
  strategy => {
    const candidates = weights(1, 1, 1);
    const once = firsts(candidates, { strategy, random: () => 0 });
    expect(firsts(candidates, { strategy, random: () => 0.99 })).toEqual(once);
    for (const name of ['p0', 'p1', 'p2'])
      expect(once.filter(first => first === name).length).toBeGreaterThan(70);
  },
);

test('with `ordered`, a conversation has the first target of the file', () => {
  expect(new Set(firsts(weights(1, 1), { strategy: 'ordered' }))).toEqual(new Set(['p0']));
});

test('conversations are spread by weight, and a new target takes conversations from others only', () => {
  const two = firsts(weights(3, 1, 0));
  const share = two.filter(first => first === 'p0').length / two.length;
  expect(share).toBeGreaterThan(0.65);
  expect(share).toBeLessThan(0.85);
  expect(two).not.toContain('p2');
  const three = firsts(weights(3, 1, 4));
  expect(three.every((first, at) => first === two[at] || first === 'p2')).toBe(true);
});

test('a conversation leaves a target that is much busier than another, and not one that is a little busier', () => {
  const health = new TargetHealth('', clock);
  const candidates = routes({}, {});
  const [own] = firsts(candidates, { strategy: 'least-busy' });
  const target = candidates.find(({ route }) => route.provider === own);
  const first = () => firsts(candidates, { strategy: 'least-busy', health })[0];
  for (let i = 0; i < 8; i++) health.begin(target?.route as never, now, 'streamed');
  expect(first()).toBe(own);
  health.begin(target?.route as never, now, 'streamed');
  expect(first()).not.toBe(own);
});

test('with weights, a conversation leaves a target that has far more than its part of the requests', () => {
  const health = new TargetHealth('', clock);
  const candidates = weights(3, 1, 0);
  const [own] = firsts(candidates);
  const { route, weight = 0 } = candidates.find(each => each.route.provider === own) as Candidate;
  // Eight more than the part of a target of average weight.
  const spare = Math.floor((8 * weight) / (4 / 3));
  for (let i = 0; i < spare; i++) health.begin(route, now, 'streamed');
  expect(firsts(candidates, { health })[0]).toBe(own);
  health.begin(route, now, 'streamed');
  const drawn = new Set(
    [0, 0.3, 0.6, 0.9].map(random => firsts(candidates, { health, random: () => random })[0]),
  );
  expect(drawn).toEqual(new Set(['p0', 'p1']));
});

test('with `fastest`, a conversation does not leave its target for one that was not measured', () => {
  const health = new TargetHealth('', clock);
  const candidates = routes({}, {});
  const [own] = firsts(candidates, { strategy: 'fastest' });
  const times = (ms: Record<string, number>) => {
    for (const { route } of candidates) {
      const took = ms[route.provider];
      if (took !== undefined) health.begin(route, now - took, 'streamed').began();
    }
  };
  const first = () => firsts(candidates, { strategy: 'fastest', health, now })[0];
  times({ [own as string]: 1_200 });
  expect(first()).toBe(own);
  times({ [own === 'p0' ? 'p1' : 'p0']: 100 });
  expect(first()).not.toBe(own);
});

test('a conversation leaves a target that rests', () => {
  const health = new TargetHealth('', clock);
  const candidates = weights(1, 1);
  const [own] = firsts(candidates);
  const { route } = candidates.find(each => each.route.provider === own) as Candidate;
  const details = { upstream: { provider: route.provider, status: 429 }, retryAfterMs: 60_000 };
  health.begin(route, now - 1, 'streamed').ended(new GatewayError('rate-limited', 'Slow down.', details));
  expect(firsts(candidates, { health, now })[0]).not.toBe(own);
});
