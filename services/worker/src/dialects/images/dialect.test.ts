import type { ImageRequest } from '@model-gateway/canonical';
import { readAll } from '@model-gateway/canonical/testing/events';
import { expect, test } from 'vitest';
import { encodeInput } from '../../testing/encode-input.ts';
import { imagesDialect } from './dialect.ts';

const own = (text = '{}') => encodeInput({ model: 'up', text: Buffer.from(text) }) as never;

async function written(fields: Partial<ImageRequest>) {
  const request = {
    prompt: 'A fox',
    n: 2,
    size: '1024x1024',
    user: 'u',
    outputFormat: 'webp',
    ...fields,
  } as never;
  const sent = imagesDialect.encode(encodeInput({ model: 'up', request, drop: ['user'] }) as never);
  const { body } = sent;
  if (!(Symbol.asyncIterator in body)) return { ...sent, text: body.toString() };
  return { ...sent, text: Buffer.concat(await Array.fromAsync(body)).toString() };
}

test('a translated request is JSON', async () => {
  const { path, text } = await written({});
  expect(path).toBe('/images/generations');
  const fields = { prompt: 'A fox', n: 2, size: '1024x1024', output_format: 'webp' };
  expect(JSON.parse(text)).toEqual({ model: 'up', ...fields });
});

test('a translated edit is a multipart form', async () => {
  const png = (text: string) => ({ mediaType: 'image/png', data: btoa(text) });
  const { path, text, headers } = await written({ images: [png('one')], mask: png('two!') });
  expect(path).toBe('/images/edits');
  expect(headers).toMatchObject({
    'content-type': 'multipart/form-data; boundary=gateway-req_1',
    'content-length': String(text.length),
  });
  const file = (name: string, filename: string, content: string) =>
    `name="${name}"; filename="${filename}"\r\nContent-Type: image/png\r\n\r\n${content}\r\n`;
  expect(text).toContain('name="n"\r\n\r\n2\r\n');
  expect(text).toContain(file('image[]', 'image.png', 'one'));
  expect(text).toContain(file('mask', 'mask.png', 'two!'));
  expect(text).not.toContain('"user"');
});

const completed = (usage?: object) => {
  const data = { type: 'image_generation.completed', b64_json: 'QQ==', usage };
  return Buffer.from(`event: image_generation.completed\ndata: ${JSON.stringify(data)}\n\n`);
};

test('usage of a stream is the sum over its images', () => {
  const details = { text_tokens: 4, image_tokens: 6 };
  const usage = { input_tokens: 10, input_tokens_details: details, output_tokens: 100, total_tokens: 110 };
  const decoder = imagesDialect.decodeStream(own('{"n":2}'));
  decoder.read(completed(usage));
  expect(decoder).toMatchObject({ complete: false, usage: { input: 10, units: { images: 1 } } });
  decoder.read(completed(usage));
  expect(decoder.complete).toBe(true);
  expect(decoder.end()).toMatchObject([
    { type: 'finish', usage: { input: 20, imageInput: 12, output: 200, units: { images: 2 } } },
  ]);
});

const whole = (body: string) => readAll(imagesDialect.decodeWhole(own(), 'application/json'), body);

test('usage without tokens still counts images', () => {
  const streamed = readAll(imagesDialect.decodeStream(own()), completed());
  expect(streamed.at(-1)).toMatchObject({ usage: { input: 0, output: 0, units: { images: 1 } } });
  const two = whole('{"data":[{"url":"https://example.com/1"},{"url":"https://example.com/2"}]}');
  expect(two).toMatchObject([{ type: 'verbatim' }, { usage: { units: { images: 2 } } }]);
});

test.each(['{"data":[]}', '{"data":[{}]}', '{"data":[null]}', '{}', 'x'])(
  '%s in place of a response is an error',
  body => {
    expect(whole(body)).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  },
);
