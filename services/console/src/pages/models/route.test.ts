import type { HealthReport, ModelInfo } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import { routeOf } from './route.ts';

const model: ModelInfo = {
  ...{ name: 'fast', managedBy: 'api', place: null, problems: [] },
  ...{ createdAt: '2026-11-25T00:00:00Z', operations: ['generate'], timeouts: { total: '30m' } },
  ...{ strategy: null, retries: null, fallbacks: null, affinity: null, hedgeAfter: null },
  ...{ price: null, limits: {}, realtime: null, drop: [] },
  targets: [
    { provider: 'a', model: 'x' },
    { provider: 'b', model: 'y' },
  ],
};
const weighted = (...weights: (number | undefined)[]) => ({
  ...model,
  targets: weights.map((weight, place) => ({
    ...{ provider: 'p', model: String(place) },
    ...(weight !== undefined && { weight }),
  })),
});
const turns = (given: ModelInfo) => routeOf(given, undefined).stops.map(({ turn, share }) => [turn, share]);

test('targets without weights are tried in their order', () => {
  expect(routeOf(model, undefined).strategy).toBe('ordered');
  expect(turns(model)).toEqual([
    ['first', 1],
    ['second', 0],
  ]);
  expect(turns(weighted(undefined))).toEqual([['every request', 1]]);
});

test('weights are parts of the requests, and a missing one counts as 0', () => {
  expect(turns(weighted(2, 1, 0, undefined))).toEqual([
    ['66.7%', 2 / 3],
    ['33.3%', 1 / 3],
    ['if others fail', 0],
    ['if others fail', 0],
  ]);
});

test('with the other strategies any target may be the first', () => {
  expect(turns({ ...model, strategy: 'fastest' })).toEqual([
    ['any', null],
    ['any', null],
  ]);
});

test('targets have their state, and one with a * the names that rest', () => {
  const pattern = { ...model, name: 'p/*', targets: [{ provider: 'a', model: 'x-*' }] };
  const rest = { provider: 'a', model: 'x-1', state: 'resting' as const, reason: 'failures' };
  const serving = { provider: 'a', model: 'x-*', state: 'serving' as const };
  const report: HealthReport = { models: [{ name: 'p/*', targets: [serving, rest] }], keys: [] };
  expect(routeOf(pattern, report).stops).toMatchObject([{ health: serving, resting: [rest] }]);
  expect(routeOf(model, report).stops[0]?.health).toBeUndefined();
});

test('causes with the same models are joined', () => {
  const fallbacks = { rateLimit: ['small'], outage: ['small'], contextLength: ['long'], contentPolicy: [] };
  expect(routeOf({ ...model, fallbacks }, undefined).fallbacks).toEqual([
    { causes: ['rateLimit', 'outage'], models: ['small'] },
    { causes: ['contextLength'], models: ['long'] },
  ]);
});
