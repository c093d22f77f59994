import { expect, test } from 'vitest';
import { categoriesOf, flaggedFor, moderationsAnswer, typesOf } from './answer.ts';

const mild = {
  flagged: false,
  categories: { hate: false, violence: false, illicit: null },
  category_scores: { hate: 0.1, violence: 0.2 },
};
const harsh = {
  flagged: true,
  categories: { hate: true, violence: false, pii: true },
  category_scores: { hate: 0.9, violence: 0.01, pii: 0.5 },
};

test('the categories of all results are listed, the highest score first', () => {
  expect(categoriesOf([mild, harsh])).toEqual(['hate', 'pii', 'violence', 'illicit']);
});

test('an input is flagged for the categories that are true', () => {
  expect(flaggedFor(harsh)).toEqual(['hate', 'pii']);
  expect(flaggedFor(mild)).toEqual([]);
});

test('an answer without usage, and with a category that the model does not know, is read', () => {
  expect(moderationsAnswer.safeParse({ id: 'modr-1', results: [mild] }).success).toBe(true);
  expect(moderationsAnswer.safeParse({ results: [{ flagged: true }] }).success).toBe(false);
});

test('a category was scored by the types that the results name, or by unknown ones', () => {
  const seen = {
    ...mild,
    category_applied_input_types: { hate: ['text'], violence: ['text', 'image'], pii: [] },
  };
  expect(['hate', 'violence', 'pii', 'illicit'].map(category => typesOf([seen], category))).toEqual([
    'text',
    'text, image',
    '–',
    '–',
  ]);
  expect(typesOf([mild], 'hate')).toBe('–');
});
