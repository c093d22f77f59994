import { expect, test } from 'vitest';
import { blocksOf } from './blocks.ts';

const brief = (text: string) =>
  blocksOf(text).map(({ kind, language, text }) => [kind, ...(language ? [language] : []), text]);

test.each([
  ['', []],
  ['One\n\n  two', [['prose', 'One\n\n  two']]],
  ['A `tick` and ``` within', [['prose', 'A `tick` and ``` within']]],
  [
    'Look:\n\n```ts\nlet a = `1`;\n\n  b\n```\n\nSo.',
    [
      ['prose', 'Look:'],
      ['code', 'ts', 'let a = `1`;\n\n  b'],
      ['prose', 'So.'],
    ],
  ],
  [
    '```\na\n```\n```\nb\n```',
    [
      ['code', 'a'],
      ['code', 'b'],
    ],
  ],
  ['~~~\n```\n~~~', [['code', '```']]],
  ['````md\n```js\nx\n```\n````', [['code', 'md', '```js\nx\n```']]],
  [
    'Half:\n```js\nlet',
    [
      ['prose', 'Half:'],
      ['code', 'js', 'let'],
    ],
  ],
  ['```js\n', [['code', 'js', '']]],
  ['<img src=x onerror=alert(1)>', [['prose', '<img src=x onerror=alert(1)>']]],
])('the blocks of %j', (text, blocks) => {
  expect(brief(text)).toEqual(blocks);
});
