import { describe, expect, test } from 'vitest';
import { generateContentImageDialect } from './dialect.ts';
import { imageConfig } from './encode-image.ts';

describe('an image size becomes an aspect ratio and a resolution', () => {
  test.each([
    [undefined, {}],
    ['auto', {}],
    ['1024x1024', { aspectRatio: '1:1' }],
    ['256x256', { aspectRatio: '1:1' }],
    ['1536x1024', { aspectRatio: '3:2' }],
    ['1024x1536', { aspectRatio: '2:3' }],
    ['1792x1024', { aspectRatio: '16:9' }],
    ['1024x1792', { aspectRatio: '9:16' }],
    ['2048x2048', { aspectRatio: '1:1', imageSize: '2K' }],
    ['3840x2160', { aspectRatio: '16:9', imageSize: '4K' }],
  ])('size %s becomes an imageConfig', (size, config) => {
    expect(imageConfig(size)).toEqual(config);
  });

  test.each(['1x3', '0x0', '1024', '1024x', '2K', '-1x1', '99999x1'])('size %s is refused', size => {
    expect(() => imageConfig(size)).toThrow(
      expect.objectContaining({ details: { path: 'size', code: 'unsupported_value' } }),
    );
  });
});

const usageMetadata = {
  promptTokenCount: 263,
  candidatesTokenCount: 1_290,
  thoughtsTokenCount: 10,
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 5 },
    { modality: 'IMAGE', tokenCount: 258 },
  ],
};
const parts = [{ inlineData: { mimeType: 'image/jpeg', data: '/9j/' } }];

function decode(body: object) {
  const decoder = generateContentImageDialect.decodeWhole({} as never, 'application/json');
  decoder.read(Buffer.from(JSON.stringify(body)));
  return { events: decoder.end(), usage: decoder.usage };
}

test('usage counts tokens and images, and is not known without tokens', () => {
  const { events } = decode({ candidates: [{ content: { parts } }], usageMetadata });
  expect(events).toMatchObject([
    { type: 'result', result: { images: [{ data: '/9j/', mediaType: 'image/jpeg' }] } },
    {
      type: 'finish',
      usage: { input: 263, imageInput: 258, output: 1_300, reasoning: 10, units: { images: 1 } },
    },
  ]);
  expect(decode({ candidates: [{ content: { parts } }] }).events).toMatchObject([{}, { usage: null }]);
});

test('a failed attempt reports its usage', () => {
  const { events, usage } = decode({ candidates: [{ finishReason: 'IMAGE_SAFETY' }], usageMetadata });
  expect(events).toMatchObject([{ type: 'error', code: 'content_policy_violation' }]);
  expect(usage).toMatchObject({ input: 263, units: { images: 0 } });
});

test('dropped fields are not validated', () => {
  const request = {
    prompt: 'A fox',
    size: '1x9',
    background: 'transparent',
    mask: { mediaType: 'image/png', data: '' },
  };
  const input = (drop: string[]) => ({ model: 'm', request, drop }) as never;
  expect(() => generateContentImageDialect.encode(input([]))).toThrow(
    expect.objectContaining({ details: { path: 'mask', code: 'unsupported_value' } }),
  );
  const { body } = generateContentImageDialect.encode(input(['mask', 'background', 'size']));
  expect(JSON.parse(String(body)).generationConfig).toEqual({ responseModalities: ['IMAGE'] });
});
