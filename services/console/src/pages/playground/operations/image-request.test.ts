import { expect, test } from 'vitest';
import { addImages, emptyDraft, isSize, missingIn, requestOf } from './image-request.ts';

const file = (name: string, type = 'image/png') => new File(['x'], name, { type });
const fox = file('fox.png');
const hat = file('hat.png');

test('a request has only what is set', () => {
  const draft = { ...emptyDraft, prompt: 'A fox', partialImages: 2, inputFidelity: 'high', images: [fox] };
  expect(requestOf('painter', draft)).toEqual({
    method: 'POST',
    path: '/v1/images/generations',
    body: { type: 'json', json: { model: 'painter', prompt: 'A fox' } },
  });
});

test('a request has every setting', () => {
  const draft = {
    ...emptyDraft,
    ...{ prompt: 'A fox', size: ' 512x512 ', quality: 'low', background: 'opaque', n: 2, compression: 0 },
    ...{ outputFormat: 'webp', responseFormat: 'b64_json', style: 'vivid', moderation: 'low' },
    ...{ stream: true, partialImages: 0 },
  };
  const json = {
    ...{ model: 'painter', prompt: 'A fox', size: '512x512', quality: 'low', background: 'opaque', n: 2 },
    ...{ output_format: 'webp', output_compression: 0, response_format: 'b64_json', style: 'vivid' },
    moderation: 'low',
  };
  const request = requestOf('painter', draft);
  expect(request.body).toEqual({ type: 'json', json: { ...json, stream: true, partial_images: 0 } });
});

test.each([
  { images: [fox], mask: null, names: ['image'] },
  { images: [fox, hat], mask: hat, names: ['image[]', 'image[]', 'mask'] },
])('an edit is a form with $names', ({ images, mask, names }) => {
  const draft = {
    ...emptyDraft,
    ...{ mode: 'edit' as const, prompt: 'A hat', n: 2, inputFidelity: 'high', style: 'vivid', stream: true },
    ...{ images, mask },
  };
  const request = requestOf('painter', draft);
  const files = [...images, ...(mask ? [mask] : [])];
  const set = { model: 'painter', prompt: 'A hat', n: '2', input_fidelity: 'high', stream: 'true' };
  const fields = [...Object.entries(set), ...files.map((value, at) => [names[at], value])];
  expect(request).toEqual({ method: 'POST', path: '/v1/images/edits', body: { type: 'form', fields } });
});

test('what is missing', () => {
  const ready = { ...emptyDraft, prompt: 'A fox' };
  expect(missingIn(ready)).toBeUndefined();
  expect(missingIn({ ...ready, prompt: ' ' })).toBe('Write a prompt.');
  expect(missingIn({ ...ready, size: '12' })).toBe('Correct the size.');
  expect(missingIn({ ...ready, mode: 'edit' })).toBe('Add at least one image.');
});

test.each([
  ['', true],
  ['auto', true],
  ['1024x768', true],
  ['0x768', false],
  ['1024×768', false],
])('the size %j: %s', (size, expected) => {
  expect(isSize(size)).toBe(expected);
});

test('an edit takes up to 16 images', () => {
  expect(addImages([fox], [hat])).toEqual([fox, hat]);
  expect(() => addImages(Array(16).fill(fox), [hat])).toThrow('at most 16 images');
  expect(() => addImages([], [file('note.txt', 'text/plain')])).toThrow('note.txt is no PNG');
  expect(() => addImages([], [new File([], 'none.png', { type: 'image/png' })])).toThrow(
    'none.png is empty.',
  );
});
