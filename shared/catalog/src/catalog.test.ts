import { expect, test } from 'vitest';
import { Catalog } from './catalog.ts';
import { type ModelRecord, recordKey } from './record.ts';

const model = (name: string, position = 0): ModelRecord => ({
  name,
  targets: [{ provider: 'p', model: '*' }],
  timeouts: { firstToken: 1, idle: 1, total: 1 },
  limits: {},
  drop: [],
  version: 1,
  position,
  created: 0,
});

function catalogOf(...names: string[]): Catalog {
  const catalog = new Catalog();
  for (const [at, name] of names.entries()) catalog.put(recordKey('model', name), model(name, at));
  return catalog;
}

const found = (catalog: Catalog, name: string) => {
  const result = catalog.model(name);
  return result && [result.model.name, result.match];
};

test('an exact name beats a pattern, and the longest pattern wins', () => {
  const catalog = catalogOf('*', 'house/*', 'house/*:free', 'house/a:free');
  expect(found(catalog, 'house/a:free')).toEqual(['house/a:free', '']);
  expect(found(catalog, 'house/b:free')).toEqual(['house/*:free', 'b']);
  expect(found(catalog, 'house/b')).toEqual(['house/*', 'b']);
  expect(found(catalog, 'other')).toEqual(['*', 'other']);
});

test('a * matches at least one character, and the two ends of a pattern never overlap', () => {
  const catalog = catalogOf('ab*ba');
  expect([found(catalog, 'abba'), found(catalog, 'aba')]).toEqual([undefined, undefined]);
  expect(found(catalog, 'ab-ba')).toEqual(['ab*ba', '-']);
});

test('a token in an envelope has the weight of its project, unless that is 1', () => {
  const catalog = new Catalog();
  const project = (name: string, more: object) =>
    catalog.put(recordKey('project', name), { name, version: 1, ...more });
  project('heavy', { weight: 3 });
  project('usual', { weight: 1 });
  project('older', {});
  const weightOf = (name: string) => catalog.envelopeToken({ id: 't', project: name });
  expect(weightOf('heavy')).toEqual({ id: 't', project: 'heavy', weight: 3 });
  for (const name of ['usual', 'older', 'unknown'])
    expect(weightOf(name)).toEqual({ id: 't', project: name });
});

test('projects and users have the settings of their records, and none without one', () => {
  const catalog = new Catalog();
  const settings = { limits: { concurrency: 1 }, budget: { amount: 1, period: 'day' }, allowUnpriced: true };
  const found = (name: string) => [
    catalog.limitsOf(name),
    catalog.budgetOf(name),
    catalog.allowsUnpriced(name),
    catalog.userBudgetOf(name),
  ];
  catalog.put(recordKey('project', 'lab'), { name: 'lab', version: 1, ...settings });
  catalog.put(recordKey('user', 'ada'), { name: 'ada', version: 1, budget: settings.budget });
  expect(found('lab')).toEqual([settings.limits, settings.budget, true, undefined]);
  expect(found('ada')).toEqual([undefined, undefined, false, settings.budget]);
  catalog.remove(recordKey('project', 'lab'));
  catalog.remove(recordKey('user', 'ada'));
  for (const name of ['lab', 'ada']) expect(found(name)).toEqual([undefined, undefined, false, undefined]);
});

test('a token in an envelope has its owner and tags, and nothing else of the token', () => {
  const token = { id: 't', project: 'p', owner: 'ada', tags: { team: 'search' } };
  expect(new Catalog().envelopeToken({ ...token, name: 'ci' } as typeof token)).toEqual(token);
});

test('models are listed in file order, whatever order they arrive in, and models() lists exact names only', () => {
  const catalog = new Catalog();
  for (const [name, position] of [
    ['b', 1],
    ['a/*', 2],
    ['c', 0],
  ] as const) {
    catalog.put(recordKey('model', name), model(name, position));
  }
  expect(catalog.models().map(({ name }) => name)).toEqual(['c', 'b']);
  expect(catalog.allModels().map(({ name }) => name)).toEqual(['c', 'b', 'a/*']);
});

test('providers are listed by name', () => {
  const catalog = new Catalog();
  for (const name of ['b', 'c', 'a']) catalog.put(recordKey('provider', name), { name });
  catalog.remove(recordKey('provider', 'c'));
  expect(catalog.providers().map(({ name }) => name)).toEqual(['a', 'b']);
});

test('removed models are not found, and keys of unknown kinds are ignored', () => {
  const catalog = catalogOf('a', 'b/*');
  catalog.put('other.YQ', { name: 'a' });
  catalog.remove(recordKey('model', 'a'));
  catalog.remove(recordKey('model', 'b/*'));
  expect([found(catalog, 'a'), found(catalog, 'b/x'), catalog.models()]).toEqual([undefined, undefined, []]);
});

test('a record key is valid in KV whatever characters the name has', () => {
  expect(recordKey('provider', 'žluť/:* .>')).toMatch(/^provider\.[\w-]+$/);
  const catalog = new Catalog();
  catalog.put(recordKey('provider', 'žluť/:* .>'), { name: 'žluť/:* .>' });
  expect(catalog.provider('žluť/:* .>')).toBeDefined();
});
