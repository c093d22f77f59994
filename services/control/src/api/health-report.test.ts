import { type HealthQuery, healthReport } from '@model-gateway/admin-api';
import { Catalog, parseCatalog, type Rest, recordKey, restId } from '@model-gateway/catalog';
import { expect, test } from 'vitest';
import { reportHealth } from './health-report.ts';

const now = Date.parse('2026-11-24T12:00:00Z');
const ms = (seconds: number) => now + seconds * 1_000;
const at = (seconds: number) => new Date(ms(seconds)).toISOString();

const catalog = new Catalog();
const file = parseCatalog({
  providers: [
    { name: 'vendor', kind: 'openai', apiKey: { env: 'KEY' } },
    { name: 'house', kind: 'ollama' },
  ],
  models: [
    {
      name: 'fast',
      targets: [
        { provider: 'vendor', model: 'mini' },
        { provider: 'house', model: 'small' },
      ],
    },
    { name: 'any/*', targets: [{ provider: 'vendor', model: 'v-*' }] },
    { name: 'any/known', targets: [{ provider: 'vendor', model: 'mini' }] },
    { name: 'house/*', targets: [{ provider: 'house', model: 'small' }] },
  ],
}).catalog;
for (const provider of file?.providers ?? [])
  catalog.put(recordKey('provider', provider.name), { ...provider, version: 1 });
for (const [position, model] of (file?.models ?? []).entries())
  catalog.put(recordKey('model', model.name), { ...model, version: 1, position });

const reasons = { reason: 'failures', error: 'upstream', since: ms(-10), by: 'front' };
const vendor = { provider: 'vendor', key: 'default' };

function report(rests: Partial<Rest>[], query: HealthQuery = {}) {
  const all = rests.map(rest => ({ ...reasons, version: 1, provider: 'house', until: ms(5), ...rest }));
  return reportHealth({ catalog, rests: new Map(all.map(rest => [restId(rest), rest])) }, query, now);
}

const serving = { state: 'serving' };
const resting = { state: 'resting', reason: 'failures', error: 'upstream', since: at(-10), until: at(5) };
const refused = { ...resting, reason: 'refused-key', until: at(20) };
const restOfKey = { ...vendor, reason: 'refused-key', until: ms(20) };
const mini = { provider: 'vendor', model: 'mini' };
const small = { provider: 'house', model: 'small' };
const pattern = { provider: 'vendor', model: 'v-*' };
const key = { provider: 'vendor', key: 'default' };

test('without rests every target of the catalog serves, in file order, and so does every key', () => {
  const found = report([]);
  expect(found).toEqual({
    models: [
      {
        name: 'fast',
        targets: [
          { ...mini, ...serving },
          { ...small, ...serving },
        ],
      },
      { name: 'any/*', targets: [{ ...pattern, ...serving }] },
      { name: 'any/known', targets: [{ ...mini, ...serving }] },
      { name: 'house/*', targets: [{ ...small, ...serving }] },
    ],
    keys: [{ ...key, ...serving }],
  });
  expect(healthReport.parse(found)).toEqual(found);
});

test('a rest is shown at every model that has its target, with its reason and times', () => {
  const found = report([{ model: 'small' }]);
  expect(found.models.map(({ targets }) => targets.at(-1))).toEqual([
    { ...small, ...resting },
    { ...pattern, ...serving },
    { ...mini, ...serving },
    { ...small, ...resting },
  ]);
  expect(healthReport.parse(found)).toEqual(found);
});

test.each([
  [0.001, 'resting'],
  [0, 'probing'],
  [-60, 'probing'],
])('a target whose rest ends in %d s is %s', (seconds, state) => {
  const { models } = report([{ model: 'small', until: ms(seconds) }], { model: 'house/*' });
  expect(models[0]?.targets).toEqual([{ ...small, ...resting, state, until: at(seconds) }]);
});

test('all targets of a refused key rest', () => {
  const { models, keys } = report([restOfKey]);
  expect(models.map(({ targets }) => targets[0])).toEqual([
    { ...mini, ...refused },
    { ...pattern, ...refused },
    { ...mini, ...refused },
    { ...small, ...serving },
  ]);
  expect(keys).toEqual([{ ...key, ...refused }]);
});

test('of the rests of a target and of its key, the one that ends last is shown', () => {
  const shown = (until: number) =>
    report([restOfKey, { ...vendor, model: 'mini', until: ms(until) }], { model: 'any/known' });
  expect(shown(19).models[0]?.targets).toEqual([{ ...mini, ...refused }]);
  expect(shown(21).models[0]?.targets).toEqual([{ ...mini, ...resting, until: at(21) }]);
  expect(shown(21).keys).toEqual([{ ...key, ...refused }]);
});

test('a provider without an API key is among the keys while it refuses credentials', () => {
  const { keys, models } = report([{ reason: 'refused-key', until: ms(20) }], { provider: 'house' });
  expect(keys).toEqual([{ provider: 'house', key: null, ...refused }]);
  expect(models[0]?.targets).toEqual([{ ...small, ...refused }]);
});

test('after a target with a *, those of its names follow that rest', () => {
  const rests = ['v-a', 'v-b', 'v-', 'other', 'mini'].map(model => ({ ...vendor, model }));
  expect(report(rests, { model: 'any/*' }).models).toEqual([
    {
      name: 'any/*',
      targets: [
        { ...pattern, ...serving },
        { provider: 'vendor', model: 'v-a', ...resting },
        { provider: 'vendor', model: 'v-b', ...resting },
      ],
    },
  ]);
});

test('a name that another model of the catalog serves does not belong to a *', () => {
  const { models } = report([{ ...vendor, model: 'v-known' }]);
  expect(models.flatMap(({ targets }) => targets).filter(({ state }) => state !== 'serving')).toEqual([]);
});

test('rests of unknown targets, and of another key of the provider, are not shown', () => {
  const unknown = report([
    { provider: 'gone', model: 'm' },
    { provider: 'vendor', key: 'old', model: 'mini' },
    { provider: 'vendor', model: 'v-a' },
  ]);
  expect(unknown).toEqual(report([]));
});

test.each<[HealthQuery, string[], number]>([
  [{ model: 'fast' }, ['fast vendor/mini', 'fast house/small'], 1],
  [{ model: 'house/any-name' }, ['house/* house/small'], 0],
  [{ model: 'nobody' }, [], 0],
  [{ provider: 'house' }, ['fast house/small', 'house/* house/small'], 0],
  [{ state: 'resting' }, ['fast house/small', 'house/* house/small'], 0],
  [{ state: 'probing' }, [], 0],
  [{ model: 'fast', provider: 'vendor', state: 'serving' }, ['fast vendor/mini'], 1],
])('the query %o selects %j and %i keys', (query, targets, keys) => {
  const found = report([{ model: 'small' }], query);
  const names = found.models.flatMap(model =>
    model.targets.map(target => `${model.name} ${target.provider}/${target.model}`),
  );
  expect([names, found.keys.length]).toEqual([targets, keys]);
});
