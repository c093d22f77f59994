import { expect, test } from 'vitest';
import type { MediaPart } from '../conversation/part.ts';
import {
  categoriesOf,
  flaggedFor,
  inputField,
  inputsOf,
  moderationsAnswer,
  typesOf,
} from './moderations.tsx';

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

const image: MediaPart = {
  type: 'media',
  kind: 'image',
  name: 'a.png',
  mediaType: 'image/png',
  data: 'QUJD',
};

test('each text is an input', () => {
  expect(inputField(['one', 'two'], [])).toEqual(['one', 'two']);
  expect(inputsOf(['one', 'two'], []).map(({ text }) => text)).toEqual(['one', 'two']);
});

test('texts and images are one input', () => {
  expect(inputField(['one', 'two'], [image])).toEqual([
    { type: 'text', text: 'one' },
    { type: 'text', text: 'two' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
  ]);
  expect(inputsOf(['one', 'two'], [image])).toEqual([{ text: 'one\ntwo', images: [image] }]);
  expect(inputField([], [image])).toHaveLength(1);
});
