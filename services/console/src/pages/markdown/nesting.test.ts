import { expect, test } from 'vitest';
import { assertShallow, isParsable } from './nesting.ts';

const deepList = Array.from({ length: 300 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n');

test.each([
  ['quotes', '> '.repeat(3_000)],
  ['quotes without blanks', '>'.repeat(3_000)],
  ['lists in one line', '- '.repeat(3_000)],
  ['numbered lists', '1. '.repeat(3_000)],
  ['quotes and lists in turns', `text\n${'> * '.repeat(60)}a`],
  ['lists by indentation', deepList],
  ['tabs', `- a\n${'\t'.repeat(300)}- b`],
  ['a text that is long', '['.repeat(60_000)],
])('%s are not parsed', (_what, block) => {
  expect(isParsable(block)).toBe(false);
});

test.each([
  ['prose', 'A *text* with [links](https://example.com) and `code`.'],
  ['a list of lists', '- a\n  - b\n    - c\n      1. d\n         > e'],
  ['a rule', '- - - - -'],
  ['a long table', `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(1_000)}`],
  ['code', `\`\`\`\n${'> '.repeat(3_000)}${'x'.repeat(100_000)}\n\`\`\``],
])('%s is parsed', (_what, block) => {
  expect(isParsable(block)).toBe(true);
});

const nested = (levels: number) =>
  Array.from({ length: levels }).reduce<object>(inner => ({ children: [inner] }), {});

test('a tree is refused if it nests too deep, however deep', () => {
  expect(() => assertShallow(nested(300))).not.toThrow();
  expect(() => assertShallow(nested(500))).toThrow('nests too deep');
  expect(() => assertShallow(nested(100_000))).toThrow('nests too deep');
});
