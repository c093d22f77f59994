import { expect, test } from 'vitest';
import { isUsable, modelNames, noModels, type TokenCheck } from './check-token.ts';

const model = (name: string, operations = ['generate']) => ({ name, operations, formats: ['chat'] });
const known: TokenCheck = {
  state: 'known',
  token: {
    id: 'a',
    name: 'n',
    project: 'p',
    expiresAt: null,
    models: [model('sim-1'), model('openai/*'), model('vectors', ['embed'])],
  },
};

test('a model that cannot chat is not offered', () => {
  expect(modelNames(known)).toEqual({ names: ['sim-1'], patterns: ['openai/*'], open: false });
  expect(modelNames(undefined)).toEqual(noModels);
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
