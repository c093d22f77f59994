import { expect, test } from 'vitest';
import { digest, latin1OfBase64, textOfBase64, textOfUtf8, utf8Of } from './bytes.ts';
import * as browser from './bytes-browser.ts';

test.each(['', 'dGV4dA==', 'w6bDuMOl', '_9j_4AAQ', 'iVBORw0KGgo'])(
  'base64 %j is read alike in a page',
  base64 => {
    expect(browser.textOfBase64(base64)).toBe(textOfBase64(base64));
    expect(browser.latin1OfBase64(base64)).toBe(latin1OfBase64(base64));
  },
);

test('base64 that is none is empty in a page', () => {
  expect(browser.latin1OfBase64('a"b')).toBe('');
});

test.each([8, 12, 24, 32])('a digest has %i hex digits, and tells texts apart', digits => {
  for (const made of [digest, browser.digest]) {
    const all = ['a', 'b', 'ab', 'ba', 'call:1', 'call:2'].map(text => made(text, digits));
    expect(all.filter(hex => !new RegExp(`^[0-9a-f]{${digits}}$`).test(hex))).toEqual([]);
    expect(new Set(all).size).toBe(all.length);
    expect(made('a', digits)).toBe(all[0]);
  }
});

test.each(['', 'plain', 'aøå€😀z', '\ufeffa'])('the UTF-8 of %j is the same in a page', text => {
  const bytes = utf8Of(text);
  expect([...browser.utf8Of(text)]).toEqual([...bytes]);
  for (const [from, to] of [
    [0, bytes.length],
    [0, 1],
    [1, bytes.length + 5],
    [2, 2],
  ] as const)
    expect(browser.textOfUtf8(bytes, from, to)).toBe(textOfUtf8(bytes, from, to));
});
