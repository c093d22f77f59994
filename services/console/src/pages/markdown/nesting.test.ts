import { expect, test } from 'vitest';
import { isParsable, limitHtml, limitMarkdown } from './nesting.ts';

const deepList = Array.from({ length: 300 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n');

test.each([
  ['quotes', '> '.repeat(3_000)],
  ['quotes without blanks', '>'.repeat(3_000)],
  ['lists in one line', '- '.repeat(3_000)],
  ['numbered lists', '1. '.repeat(3_000)],
  ['quotes and lists in turns', `text\n${'> * '.repeat(60)}a`],
  ['lists by indentation', deepList],
  ['tabs', `- a\n${'\t'.repeat(300)}- b`],
  ['a text that is long', 'word '.repeat(20_000)],
  ['links', '['.repeat(5_000)],
  ['images', `a ${'!['.repeat(5_000)}`],
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
  Array.from({ length: levels }).reduce<{ type: string; children: object[] }>(
    inner => ({ type: 'quote', children: [inner] }),
    { type: 'quote', children: [] },
  ) as Parameters<typeof limitHtml>[0];

test.each([
  ['Markdown', limitMarkdown, [{ type: 'code', value: 'the text' }]],
  [
    'HTML',
    limitHtml,
    [
      {
        ...{ type: 'element', tagName: 'pre', properties: {} },
        children: [{ type: 'text', value: 'the text' }],
      },
    ],
  ],
])('a tree of %s that nests too deep, however deep, becomes its text', (_what, limit, text) => {
  const shallow = nested(300);
  limit(shallow, 'the text');
  expect(shallow.children[0]?.type).toBe('quote');
  for (const levels of [500, 100_000]) {
    const deep = nested(levels);
    limit(deep, 'the text');
    expect(deep.children).toEqual(text);
  }
});
