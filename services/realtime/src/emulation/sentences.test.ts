import { expect, test } from 'vitest';
import { Sentences } from './speaker.ts';

function cut(text: string, size: number): string[] {
  const sentences = new Sentences();
  const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  return [...pieces.flatMap(piece => sentences.add(piece)), sentences.rest()];
}

test.each([1, 3, 1_000])('a text in pieces of %i characters is cut into sentences without loss', size => {
  expect(cut('Yes. It is 3.5 degrees in Oslo! Is it cold? "Very." So', size)).toEqual([
    'Yes. It is 3.5 degrees in Oslo! ',
    'Is it cold? ',
    '"Very." So',
  ]);
  expect(cut('今日はとても良い天気ですね。散歩に行きましょう。', size)).toEqual([
    '今日はとても良い天気ですね。',
    '散歩に行きましょう。',
  ]);
});

test('a long text without sentence ends is cut between words, or anywhere', () => {
  const words = cut('word '.repeat(200), 7);
  expect(words.join('')).toBe('word '.repeat(200));
  expect(words.every(text => text.length <= 400 && !text.startsWith(' '))).toBe(true);
  expect(cut('x'.repeat(1_000), 50).map(text => text.length)).toEqual([400, 400, 200]);
});
