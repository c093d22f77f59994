import { expect, test } from 'vitest';
import { factsOf, isUsable, modelNames, noModels, type TokenCheck } from './check-token.ts';

const model = (name: string, operations = ['generate']) => ({ name, operations, formats: ['chat'] });
const models = [model('sim-1'), model('openai/*'), model('vectors', ['embed'])];
const token = { id: 'a', name: 'n', project: 'p', expiresAt: null, models };
const known: TokenCheck = { state: 'known', token };

test('a model that cannot chat is not offered', () => {
  const facts = new Map(models.slice(0, 2).map(model => [model.name, model]));
  expect(modelNames(known)).toEqual({ names: ['sim-1'], patterns: ['openai/*'], open: false, facts });
  expect(modelNames(known, ['embed']).names).toEqual(['vectors']);
  expect(modelNames(undefined)).toEqual(noModels);
});

test('a name that a pattern allows has the facts of the pattern', () => {
  expect(factsOf('openai/gpt-5', modelNames(known))).toEqual(models[1]);
  expect(factsOf('other', modelNames(known))).toBeUndefined();
});

test.each([
  ['sim-1', true],
  ['openai/gpt-5', true],
  ['openai/', false],
  ['openai/*', false],
  ['sim-2', false],
  ['', false],
])('the model %j is usable: %s', (name, usable) => {
  expect(isUsable(name, modelNames(known))).toBe(usable);
});

test('any name may be tried if patterns are unknown', () => {
  const open = modelNames({ state: 'accepted', models: ['sim-1'] });
  expect([isUsable('other', open), isUsable('', open)]).toEqual([true, false]);
});
