import { expect, test } from 'vitest';
import { estimateInput } from './estimate-input.ts';

const bodyOf = (content: unknown) =>
  Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }));

test('a token of text is about four bytes', () => {
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(1_000);
  const tokens = estimateInput(bodyOf(text));
  expect(tokens).toBeGreaterThan(10_000);
  expect(tokens).toBeLessThan(13_000);
  expect(estimateInput(bodyOf('hi'))).toBeLessThan(20);
});

test('text without blanks is no file', () => {
  expect(estimateInput(bodyOf('这是一段没有空格的文字，'.repeat(1_000)))).toBeGreaterThan(5_000);
  expect(estimateInput(bodyOf('a,b;c\n'.repeat(2_000)))).toBeGreaterThan(2_500);
});

test('a file in base64 counts for the same, however large it is', () => {
  const image = (bytes: number) => ({
    url: `data:image/png;base64,${Buffer.alloc(bytes, 7).toString('base64')}`,
  });
  const small = estimateInput(bodyOf([image(10_000)]));
  expect(estimateInput(bodyOf([image(1_000_000)]))).toBe(small);
  expect(small).toBeLessThan(1_100);
  expect(estimateInput(bodyOf([image(10_000), image(10_000)]))).toBeGreaterThan(2_000);
});
