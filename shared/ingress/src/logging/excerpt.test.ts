import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { JsonExcerpt, type TakeRoom, TextExcerpt } from './excerpt.ts';

const anything: TakeRoom = () => true;

function excerptOf(text: string, most: number, step: number, take = anything) {
  const excerpt = new JsonExcerpt(most, take);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += step) excerpt.add(bytes.subarray(at, at + step));
  return excerpt.end();
}

const image = randomBytes(30_000).toString('base64');
const tricky = '{"a":"\\\\","b":"x\\"y","c":"\\\\\\"","d":["é😀",1],"e":""}';

describe.each([1, 2, 3, 7, 100_000])('in pieces of %i bytes', step => {
  test('a small text is kept as it is', () => {
    expect(excerptOf(tricky, 1_000, step)).toEqual({ text: tricky, cut: false });
  });

  test('data in base64 takes no room', () => {
    const text = JSON.stringify({ b64_json: image, url: `data:image/png;base64,${image}`, after: 'x' });
    expect(excerptOf(text, 200, step)).toEqual({
      text: '{"b64_json":"[30000 bytes omitted]","url":"data:image/png;base64,[30000 bytes omitted]","after":"x"}',
      cut: false,
    });
  });

  test('a long text is cut, without a part of a character', () => {
    const { text, cut } = excerptOf(`{"a":"${'ä'.repeat(10_000)}"}`, 100, step);
    expect([text, cut]).toEqual([`{"a":"${'ä'.repeat(47)}`, true]);
  });

  test('a text that ends within a string is kept to its end', () => {
    expect(excerptOf('{"a":"b\\"', 100, step)).toEqual({ text: '{"a":"b\\"', cut: false });
  });
});

test('a long word is no data', () => {
  const text = JSON.stringify({ a: 'x'.repeat(300), b: 'do re mi '.repeat(50) });
  expect(excerptOf(text, 1_000, 100)).toEqual({ text, cut: false });
});

test('room is taken for what is kept, and given back for omitted data', () => {
  let taken = 0;
  const take: TakeRoom = bytes => {
    taken += bytes;
    return true;
  };
  excerptOf(JSON.stringify([image, image, image]), 5_000, 1_000, take);
  expect(taken).toBeLessThan(200);
});

test('nothing is kept without room', () => {
  expect(excerptOf(tricky, 1_000, 10, () => false).text).toBe('');
});

test('quotes mean nothing in a text that is not JSON', () => {
  const excerpt = new TextExcerpt(6, anything);
  excerpt.add(Buffer.from('a "b'));
  excerpt.add(Buffer.from('é c'));
  expect(excerpt.end()).toEqual({ text: 'a "bé', cut: true });
});
