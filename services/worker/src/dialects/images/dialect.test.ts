import type { ImageRequest } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { describe, expect, test } from 'vitest';
import type { UpstreamRequest } from '../dialect.ts';
import { imagesDialect } from './dialect.ts';

const envelope = testEnvelope({ requestId: 'r', operation: 'image', format: 'images', stream: false });
const input = { envelope, model: 'up', drop: ['user'], limits: {} };

async function written({ body }: UpstreamRequest): Promise<string> {
  if (!(Symbol.asyncIterator in body)) return body.toString();
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('encode', () => {
  const request: ImageRequest = { prompt: 'A fox', n: 2, size: '1024x1024', user: 'u', outputFormat: 'webp' };

  test('a translated request is JSON', async () => {
    const sent = imagesDialect.encode({ ...input, body: 'canonical', request });
    expect(sent.path).toBe('/images/generations');
    expect(JSON.parse(await written(sent))).toEqual({
      model: 'up',
      prompt: 'A fox',
      n: 2,
      size: '1024x1024',
      output_format: 'webp',
    });
  });

  test('a translated edit is a multipart form', async () => {
    const images = [{ mediaType: 'image/png', data: Buffer.from('one').toString('base64') }];
    const mask = { mediaType: 'image/png', data: Buffer.from('two!').toString('base64') };
    const sent = imagesDialect.encode({ ...input, body: 'canonical', request: { ...request, images, mask } });
    const text = await written(sent);
    expect(sent.path).toBe('/images/edits');
    expect(sent.headers).toMatchObject({
      'content-type': 'multipart/form-data; boundary=gateway-r',
      'content-length': String(text.length),
    });
    expect(text).toContain('name="n"\r\n\r\n2\r\n');
    expect(text).toContain('name="image[]"; filename="image.png"\r\nContent-Type: image/png\r\n\r\none\r\n');
    expect(text).toContain('name="mask"; filename="mask.png"\r\nContent-Type: image/png\r\n\r\ntwo!\r\n');
    expect(text).not.toContain('"user"');
  });
});

const completed = (usage?: object) =>
  Buffer.from(
    `event: image_generation.completed\ndata: ${JSON.stringify({ type: 'image_generation.completed', b64_json: 'QQ==', usage })}\n\n`,
  );
const usage = {
  input_tokens: 10,
  input_tokens_details: { text_tokens: 4, image_tokens: 6 },
  output_tokens: 100,
  total_tokens: 110,
};

describe('usage', () => {
  test('usage of a stream is the sum over its images', () => {
    const decoder = imagesDialect.decodeStream({ ...input, body: 'verbatim', text: Buffer.from('{"n":2}') });
    decoder.read(completed(usage));
    expect(decoder).toMatchObject({ complete: false, usage: { input: 10, units: { images: 1 } } });
    decoder.read(completed(usage));
    expect(decoder.complete).toBe(true);
    expect(decoder.end()).toMatchObject([
      { type: 'finish', usage: { input: 20, imageInput: 12, output: 200, units: { images: 2 } } },
    ]);
  });

  test('usage without tokens still counts images', () => {
    const decoder = imagesDialect.decodeStream({ ...input, body: 'verbatim', text: Buffer.from('{}') });
    decoder.read(completed());
    expect(decoder.end()).toMatchObject([{ usage: { input: 0, output: 0, units: { images: 1 } } }]);
    const whole = imagesDialect.decodeWhole(
      { ...input, body: 'verbatim', text: Buffer.from('{}') },
      'application/json',
    );
    whole.read(Buffer.from('{"data":[{"url":"https://example.com/1"},{"url":"https://example.com/2"}]}'));
    expect(whole.end()).toMatchObject([{ type: 'verbatim' }, { usage: { units: { images: 2 } } }]);
  });
});

test.each(['{"data":[]}', '{"data":[{}]}', '{"data":[null]}', '{}', 'x'])(
  '%s in place of a response is an error',
  body => {
    const whole = imagesDialect.decodeWhole(
      { ...input, body: 'verbatim', text: Buffer.from('{}') },
      'application/json',
    );
    whole.read(Buffer.from(body));
    expect(whole.end()).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  },
);
