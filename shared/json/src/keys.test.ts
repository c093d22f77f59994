import { expect, test } from 'vitest';
import { ambiguousKey, KnownFields } from './keys.ts';

const known = new KnownFields(['model', 'stream', 'maxTokens', 'k']);

test.each([
  [['model', 'MODEL'], 'names "MODEL", which may be read as "model"'],
  [['Model'], 'names "Model", which may be read as "model"'],
  [[' model'], 'names " model", which may be read as "model"'],
  [['\u017ftream'], 'names "ſtream", which may be read as "stream"'],
  [['\u212a'], 'names "\u212a", which may be read as "k"'],
  [['maxtokens'], 'names "maxtokens", which may be read as "maxTokens"'],
  [['other', 'Other'], 'names "Other", which may be read as "other"'],
  [['model', 'x', 'model'], 'names "model" twice'],
])('%j is ambiguous', (keys, words) => {
  expect(ambiguousKey(keys, known)?.words).toBe(words);
});

test('keys that differ in more than case and blanks are not ambiguous', () => {
  const keys = ['model', 'stream', 'maxTokens', 'enableThinking', 'X-Extra', 'max_tokens', 'modell'];
  expect(ambiguousKey(keys, known)).toBeUndefined();
});
