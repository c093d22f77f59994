import { expect, test } from 'vitest';
import { subjectsOf } from './subjects.ts';

test.each([
  ['Weather in Oslo and Rome?', ['Oslo', 'Rome'], ['Oslo', 'Rome']],
  ['Compare Oslo, New York and Rome', ['Oslo', 'New York', 'Rome'], ['Oslo', 'New York', 'Rome']],
  ['Oslo and Rome', ['Oslo', 'Rome'], ['Oslo', 'Rome']],
  ['What is the weather in Paris?', ['Paris'], []],
  ['What is the weather in paris?', ['paris'], []],
  ['Search and tell me', [], []],
  ['Look up “blue whale” and "red panda".', ['blue whale', 'red panda'], ['blue whale', 'red panda']],
  ['hello', [], []],
])('%s', (text, things, list) => {
  expect(subjectsOf(text)).toMatchObject({ things, list });
});

test('finds numbers', () => {
  expect(subjectsOf('from 3 to -4.5').numbers).toEqual([3, -4.5]);
});
