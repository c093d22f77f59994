import { type ErrorDetails, type ErrorKind, GatewayError } from '@model-gateway/canonical';
import { testRoute } from '@model-gateway/canonical/testing/envelope';
import type { FallbackCause, FoundModel } from '@model-gateway/catalog';
import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test } from 'vitest';
import { TargetHealth } from '../health/target-health.ts';
import { Fallbacks, fallbackCause } from './fallbacks.ts';

type Lists = Partial<Record<FallbackCause, string[]>>;

const upstream = { provider: 'p', status: 500 };
const error = (kind: ErrorKind, details: ErrorDetails = {}, message = 'It failed.') =>
  new GatewayError(kind, message, { upstream, ...details });

/** The fallbacks of a request for the model `a`; each model has one target, at the provider of its own name. */
function start(lists: Record<string, Lists>, unplannable: string[] = []) {
  const clock = new ManualClock();
  const health = new TargetHealth('', clock);
  const models = new Map(Object.entries(lists).map(([name, fallbacks]) => [name, { name, fallbacks }]));
  const model = (name: string) =>
    models.has(name) ? ({ model: models.get(name), match: '' } as unknown as FoundModel) : undefined;
  const fallbacks = new Fallbacks({
    catalog: { model },
    health,
    plan({ model: { name } }) {
      if (unplannable.includes(name)) throw new GatewayError('invalid-request', 'Unsupported.');
      return [testRoute({ provider: name })];
    },
    makeBodies: async routes => ({ routes, bodies: {} }),
  });
  const names = (routes: readonly { provider: string }[] = []) => routes.map(({ provider }) => provider);
  const next = async () => names((await fallbacks.next())?.routes);
  const failed = (name: string, failure: GatewayError) =>
    fallbacks.failed(testRoute({ provider: name, ...(name !== 'a' && { fallback: name }) }), failure);
  const rest = (name: string, kind: ErrorKind = 'rate-limited') =>
    health
      .begin(testRoute({ provider: name }), clock.now() - 1, 'streamed')
      .ended(error(kind, { retryAfterMs: 60_000 }));
  return { plan: () => names(fallbacks.plan('a', model('a') as FoundModel)), next, failed, rest };
}

test.each<[FallbackCause | undefined, GatewayError]>([
  ['contextLength', error('invalid-request', { code: 'context_length_exceeded' })],
  ['contextLength', error('too-large')],
  ['contentPolicy', error('invalid-request', { code: 'content_filter' })],
  ['contentPolicy', error('invalid-request', {}, 'Output blocked by content filtering policy')],
  ['contentPolicy', error('invalid-request', { code: 'data_inspection_failed' })],
  ['contentPolicy', error('invalid-request', {}, 'Content Exists Risk')],
  ['rateLimit', error('rate-limited')],
  ['rateLimit', error('quota-exceeded')],
  ['outage', error('overloaded')],
  ['outage', error('timeout')],
  ['outage', error('upstream', { refusedKey: true })],
  [undefined, error('not-found')],
  [undefined, error('invalid-request')],
  [undefined, error('cancelled')],
  [undefined, error('internal')],
  [undefined, error('upstream', { lostWorkers: true })],
  [undefined, error('rate-limited', { share: true })],
  [undefined, new GatewayError('too-large', 'The request body is too large.')],
])('the cause %s', (cause, failure) => {
  expect(fallbackCause(failure)).toBe(cause);
});

test('the models of the cause take over in turn, and no others', async () => {
  const { plan, failed, next } = start({ a: { rateLimit: ['b', 'c'], outage: ['d'] }, b: {}, c: {}, d: {} });
  expect(plan()).toEqual(['a']);
  failed('a', error('rate-limited'));
  expect(await next()).toEqual(['b']);
  failed('b', error('upstream'));
  expect(await next()).toEqual(['c']);
  failed('c', error('upstream'));
  expect(await next()).toEqual([]);
});

test('a fallback has fallbacks, and no model is asked twice', async () => {
  const { plan, failed, next } = start({
    a: { outage: ['b', 'd'] },
    b: { outage: ['a', 'c'] },
    c: { outage: ['b'] },
    d: {},
  });
  plan();
  failed('a', error('upstream'));
  expect(await next()).toEqual(['b']);
  failed('b', error('upstream'));
  expect(await next()).toEqual(['c']);
  failed('c', error('upstream'));
  expect(await next()).toEqual(['d']);
  failed('d', error('upstream'));
  expect(await next()).toEqual([]);
});

test('a model that does not support the request, or is not in the catalog, is left out', async () => {
  const { plan, failed, next } = start({ a: { outage: ['gone', 'b', 'c'] }, b: {}, c: {} }, ['b']);
  plan();
  failed('a', error('upstream'));
  expect(await next()).toEqual(['c']);
});

test('the request of a model whose targets all rest goes to a fallback first', () => {
  const { plan, rest } = start({ a: { rateLimit: ['b', 'c'] }, b: {}, c: {} });
  rest('a');
  rest('b');
  expect(plan()).toEqual(['c', 'a', 'b']);
});

test('the rest of a model decides which fallbacks take over', () => {
  const { plan, rest } = start({ a: { rateLimit: ['b'], outage: ['c'] }, b: {}, c: {} });
  rest('a', 'overloaded');
  expect(plan()).toEqual(['c', 'a']);
});

test('if the targets of all models rest, the one that was asked for is first', () => {
  const { plan, rest } = start({ a: { rateLimit: ['b'] }, b: {} });
  rest('a');
  rest('b');
  expect(plan()).toEqual(['a', 'b']);
});
