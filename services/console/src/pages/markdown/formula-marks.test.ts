import { expect, test } from 'vitest';
import { withFormulaMarks } from './formula-marks.ts';

test.each([
  ['A price of $5 and $10 a month.', 'A price of \\$5 and \\$10 a month.'],
  ['It is $5-$10 or so.', 'It is \\$5-\\$10 or so.'],
  ['Inline $x^2$ and \\(y_1 \\).', 'Inline $x^2$ and $y_1$.'],
  ['\\[a\n+ b\\]', '\n$$\na\n+ b\n$$\n'],
  ['$$a = b$$', '$$\na = b\n$$'],
  ['a $$b$$ c', 'a $$b$$ c'],
  ['`$5` and `\\(a\\)` are code', '`$5` and `\\(a\\)` are code'],
  ['```sh\necho $HOME $PATH\n```', '```sh\necho $HOME $PATH\n```'],
  ['an escaped \\$5', 'an escaped \\$5'],
])('%j becomes %j', (block, marked) => {
  expect(withFormulaMarks(block)).toBe(marked);
});
