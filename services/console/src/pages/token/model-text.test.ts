import { expect, test } from 'vitest';
import { modelText } from './model-text.ts';

const model = { name: 'm', operations: ['generate'], formats: ['chat'] };

test.each([
  [{}, ''],
  [{ providers: ['a', 'b'], context: 128_000, price: null }, 'a, b · 128K context'],
  [
    { providers: ['a'], context: null, price: { input: 1.25, output: 10 } },
    'a · $1.25 in, $10.00 out per million tokens',
  ],
  [{ price: { image: 0.04 } }, '$0.04 per image'],
])('%j is described as %j', (facts, text) => {
  expect(modelText({ ...model, ...facts })).toBe(text);
});
