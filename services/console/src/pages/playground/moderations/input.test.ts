import { expect, test } from 'vitest';
import type { MediaPart } from '../conversation/part.ts';
import { inputField, inputsOf } from './input.ts';

const image: MediaPart = {
  type: 'media',
  kind: 'image',
  name: 'a.png',
  mediaType: 'image/png',
  data: 'QUJD',
};

test('each text is an input', () => {
  expect(inputField(['one', 'two'], [])).toEqual(['one', 'two']);
  expect(inputsOf(['one', 'two'], []).map(({ text }) => text)).toEqual(['one', 'two']);
});

test('texts and images are one input', () => {
  expect(inputField(['one', 'two'], [image])).toEqual([
    { type: 'text', text: 'one' },
    { type: 'text', text: 'two' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
  ]);
  expect(inputsOf(['one', 'two'], [image])).toEqual([{ text: 'one\ntwo', images: [image] }]);
  expect(inputField([], [image])).toHaveLength(1);
});
