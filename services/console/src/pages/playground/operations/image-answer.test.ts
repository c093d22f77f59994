import { expect, test } from 'vitest';
import { fileName, generatedImagesOf, kindAndSize, noImages, withEvent } from './image-answer.ts';

const png = btoa('\x89PNG\r\n\x1a\n, and pixels');
const usage = { input_tokens: 5, input_tokens_details: { image_tokens: 3 }, output_tokens: 7 };

test('a whole answer has images with their types, and links only to the web', () => {
  const { pictures, usage: used } = generatedImagesOf({
    data: [
      { b64_json: png, revised_prompt: 'A red fox' },
      { b64_json: btoa('RIFF'), url: 'https://images.test/1' },
      { b64_json: '<not base64>' },
      { url: 'https://images.test/2' },
      { url: `data:image/png;base64,${png}` },
      { url: 'javascript:alert(1)' },
      {},
    ],
    usage,
  });
  expect(pictures.map(({ blob, url }) => blob?.type ?? url)).toEqual([
    'image/png',
    'image/webp',
    undefined,
    'https://images.test/2',
    'image/png',
    undefined,
    undefined,
  ]);
  expect(pictures[0]?.revisedPrompt).toBe('A red fox');
  expect(used).toEqual({ input: 5, imageInput: 3, output: 7 });
});

test('a stream shows the newest partial image until the image is complete, and adds up tokens', () => {
  const type = (name: string) => ({ type: `image_edit.${name}`, b64_json: png });
  const begun = withEvent(noImages, { ...type('partial_image'), partial_image_index: 1 });
  expect(begun).toMatchObject({ pictures: [], partial: { index: 1 } });
  const one = withEvent(begun, { ...type('completed'), usage });
  expect(one.partial).toBeUndefined();
  const two = withEvent(withEvent(one, { type: 'something_new' }), { ...type('completed'), usage });
  expect(two.pictures).toHaveLength(2);
  expect(two.usage).toEqual({ input: 10, imageInput: 6, output: 14 });
});

test('the name and the facts of a file', () => {
  const blob = new Blob(['x'.repeat(1_500)], { type: 'image/jpeg' });
  expect(fileName(blob, 2)).toBe('image-2.jpg');
  expect(kindAndSize(blob)).toBe('JPEG · 2 kB');
  expect(fileName(new Blob(['x']), 1)).toBe('image-1');
  expect(kindAndSize(new Blob(['x']))).toBe('1 kB');
});
