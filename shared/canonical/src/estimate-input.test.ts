import { expect, test } from 'vitest';
import { estimateInput, tokensOfText } from './estimate-usage.ts';

const media = [
  'messages.*.content.*.image_url.url',
  'messages.*.content.*.image_url',
  'messages.*.content.*.source.data',
];
const estimate = (content: unknown) =>
  estimateInput({ model: 'm', messages: [{ role: 'user', content }] }, media);
const image = (bytes: number) => `data:image/png;base64,${Buffer.alloc(bytes, 7).toString('base64')}`;

test('a token of text is about four bytes', () => {
  const tokens = estimate('The quick brown fox jumps over the lazy dog. '.repeat(1_000));
  expect(tokens).toBeGreaterThan(11_000);
  expect(tokens).toBeLessThan(12_000);
  expect(estimate('hi')).toBeLessThan(20);
});

test.each([
  ['hyphens', 'these-words-are-joined-'],
  ['underscores', 'these_words_are_joined_'],
  ['digits', '0123456789'],
  ['base64', 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo'],
  ['no blank at all', '这是一段没有空格的文字，'],
])('text of 300,000 bytes with %s has a token for three bytes at least', (_, piece) => {
  const text = piece.repeat(Math.ceil(300_000 / Buffer.byteLength(piece)));
  expect(estimate(text)).toBeGreaterThanOrEqual(100_000);
  expect(estimate([{ type: 'text', text }])).toBeGreaterThanOrEqual(100_000);
});

test('other blanks part words, too', () => {
  for (const blank of ['\n', '\t', '\r\n']) {
    const tokens = estimate(`word${blank}`.repeat(10_000));
    expect(tokens).toBeGreaterThan(12_000);
    expect(tokens).toBeLessThan(17_000);
  }
});

test('an image counts for the same, however large it is, and whether it is sent or linked', () => {
  const small = estimate([{ image_url: { url: image(10_000) } }]);
  expect(estimate([{ image_url: { url: image(1_000_000) } }])).toBe(small);
  expect(estimate([{ image_url: { url: 'https://example.com/image.png' } }])).toBe(small);
  expect(estimate([{ image_url: image(1_000_000) }])).toBeLessThan(1_100);
  expect(
    estimate([{ source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(1e6) } }]),
  ).toBeLessThan(1_100);
  expect(small).toBeGreaterThan(1_000);
  expect(small).toBeLessThan(1_100);
});

test('media are only where the format declares them', () => {
  const url = image(30_000);
  expect(estimate(url)).toBeGreaterThan(10_000);
  expect(estimate([{ type: 'text', text: url }])).toBeGreaterThan(10_000);
  expect(estimateInput({ tools: [{ image_url: { url } }] }, media)).toBeGreaterThan(10_000);
  expect(estimateInput({ messages: { content: { image_url: { url } } } }, media)).toBeGreaterThan(10_000);
});

test('a document counts by its size, and one of text as text', () => {
  const document = (media_type: string) =>
    estimate([{ source: { type: 'base64', media_type, data: 'A'.repeat(400_000) } }]);
  expect(document('application/pdf')).toBeGreaterThan(9_000);
  expect(document('text/plain')).toBeGreaterThan(70_000);
  expect(estimate([{ source: { type: 'text', data: 'word '.repeat(10_000) } }])).toBeGreaterThan(12_000);
});

test('each number of a tokenised text is a token', () => {
  expect(estimateInput({ input: Array(5_000).fill(12345) }, [])).toBeGreaterThanOrEqual(5_000);
});

test('a longer run without a blank is found wherever it is in a long text', () => {
  const blank = (length: number) => 'word '.repeat(Math.ceil(length / 5)).slice(0, length);
  const tokens = (run: number, at: number) =>
    tokensOfText(`${blank(at)} ${'x'.repeat(run)} ${blank(400 - at)}`);
  for (let at = 0; at <= 400; at += 5) {
    expect(tokens(32, at)).toBeCloseTo((402 + 32) / 4, 6);
    expect(tokens(33, at)).toBeCloseTo(402 / 4 + 33 / 3, 6);
    expect(tokens(500, at)).toBeCloseTo(402 / 4 + 500 / 3, 6);
  }
  expect(tokensOfText('übung '.repeat(100))).toBeCloseTo(700 / 4, 6);
});
