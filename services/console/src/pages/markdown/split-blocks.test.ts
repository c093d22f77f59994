import { expect, test } from 'vitest';
import { splitBlocks } from './split-blocks.ts';

test.each<[string, string, string[]]>([
  ['paragraphs', 'one\ntwo\n\n\nthree', ['one\ntwo\n\n', 'three']],
  ['code with blank lines', 'a\n\n```js\nx\n\ny\n```\n\nb', ['a\n', '```js\nx\n\ny\n```\n', 'b']],
  ['code within longer fences', '````\n```\n\n```\n````\n\nb', ['````\n```\n\n```\n````\n', 'b']],
  ['code that is still open', '~~~\nx\n\ny', ['~~~\nx\n\ny']],
  ['a formula', '$$\na\n\nb\n$$\n\nc', ['$$\na\n\nb\n$$\n', 'c']],
  ['a formula in brackets', '\\[\na\n\nb\n\\]\n\nc', ['\\[\na\n\nb\n\\]\n', 'c']],
  ['a formula on one line', '$$a$$\n\nc', ['$$a$$\n', 'c']],
  ['a loose list', '1. a\n\n2. b\n\n   more\n\nc', ['1. a\n\n2. b\n\n   more\n', 'c']],
  ['a definition', 'see [a]\n\n[a]: https://example.com', ['see [a]\n\n[a]: https://example.com']],
  ['nothing', '\n\n', []],
])('%s', (_what, text, blocks) => {
  expect(splitBlocks(text)).toEqual(blocks);
});

test('blocks before the last stay the same while the text grows', () => {
  const text = '# Title\n\nSome *text*.\n\n- a\n- b\n\n```\ncode\n\nmore\n```\n\n| a |\n|---|\n| b |\n\nEnd.';
  const whole = splitBlocks(text);
  for (let length = 1; length <= text.length; length++) {
    const blocks = splitBlocks(text.slice(0, length));
    const settled = blocks.slice(0, -1).map(block => block.trimEnd());
    expect(settled).toEqual(whole.slice(0, settled.length).map(block => block.trimEnd()));
  }
});
