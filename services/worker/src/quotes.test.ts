import { expect, test } from 'vitest';
import { Quotes, quotedLength, unescaped } from './upstream-words.ts';

const secret = 'The merger closes on the ninth of March at noon.';

function restOf(message: string, ...texts: string[]): string {
  const quotes = new Quotes(message);
  for (const text of texts) quotes.look(text);
  return quotes.rest;
}

test.each([
  ['all of a text', `Bad content: ${secret}`, [secret], 'Bad content: […]'],
  ['the middle of a text', `Bad: ${secret.slice(5, 30)}!`, [secret], 'Bad: […]!'],
  ['exactly as many characters', `>${secret.slice(4, 24)}<`, [secret], '>[…]<'],
  ['one character less', `>${secret.slice(4, 23)}<`, [secret], `>${secret.slice(4, 23)}<`],
  ['two texts', `${secret} and ${secret.toUpperCase()}`, [secret, secret.toUpperCase()], '[…] and […]'],
  ['overlapping runs', `${secret.slice(0, 30)}${secret.slice(10)}`, [secret], '[…]'],
  ['a text of one letter', `${'a'.repeat(300)}!`, ['a'.repeat(1_000_000)], '[…]!'],
  [
    'escapes of JSON in the message',
    'x {"content":"Say \\"hello\\" to the\\nnew world"}',
    ['Say "hello" to the\nnew world'],
    'x {"content":"[…]"}',
  ],
  ['escapes of characters', `x ${'\\u4f60\\u597d'.repeat(12)} y`, ['你好'.repeat(20)], 'x […] y'],
  [
    'nothing',
    'Unsupported parameter: max_completion_tokens',
    [secret],
    'Unsupported parameter: max_completion_tokens',
  ],
])('a message that quotes %s', (_, message, texts, rest) => {
  expect(restOf(message, ...texts)).toBe(rest);
});

test('no run of the rest is in a text, wherever the message quotes it', () => {
  const text = Array.from({ length: 400 }, (_, i) =>
    String.fromCharCode(97 + ((i * i * 7 + i * 3) % 26)),
  ).join('');
  for (let at = 0; at < 60; at++) {
    const message = `before ${text.slice(at, at + 20 + at)} between ${text.slice(3 * at, 3 * at + 19 + (at % 4))} after`;
    const rest = restOf(message, text);
    for (let i = 0; i + quotedLength <= rest.length; i++)
      expect(text).not.toContain(rest.slice(i, i + quotedLength));
    expect(rest).toMatch(/^before .* after$/);
  }
});

test('a text that is looked through in parts gives the same', () => {
  for (const step of [1, 7, 19, 20, 21, 1_000]) {
    const quotes = new Quotes(`x ${secret} y`);
    const text = `${'.'.repeat(33)}${secret}${'.'.repeat(5)}`;
    for (let from = 0; from < text.length; from += step) quotes.look(text, from, from + step);
    expect(quotes.rest).toBe('x […] y');
  }
});

test('a half of a character is no part of the rest', () => {
  const text = `${'x'.repeat(19)}😀`;
  expect(restOf(`${'x'.repeat(19)}😀`, text.slice(0, 20)).isWellFormed()).toBe(true);
});

test('escapes of program texts are replaced', () => {
  expect(unescaped('a\\n\\"b\\" \\u00e9\\x41\\\\ \\q')).toBe('a\n"b" éA\\ q');
});
