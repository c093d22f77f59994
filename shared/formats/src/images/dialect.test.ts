import type { ImageRequest } from '@model-gateway/canonical';
import { passed, readAll } from '@model-gateway/canonical/testing/events';
import { describe, expect, test } from 'vitest';
import { encodeInput } from '../testing/encode-input.ts';
import { imagesDialect } from './dialect.ts';
import { fieldsOf } from './endpoint.ts';

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

const own_words = {
  input_tokens: 10,
  input_tokens_details: { text_tokens: 10, image_tokens: 0 },
  output_tokens: 1000,
  output_tokens_details: { text_tokens: 0, image_tokens: 1000 },
  total_tokens: 1010,
};

test.each([
  [{ prompt_tokens: 10, completion_tokens: 1000, total_tokens: 1010 }, own_words],
  [
    { generated_images: 1, output_tokens: 16, total_tokens: 16 },
    { input_tokens: 0, output_tokens: 16, total_tokens: 16 },
  ],
  [{ total_tokens: 7 }, { input_tokens: 7, output_tokens: 0, total_tokens: 7 }],
])('the usage %j is told as %j, streamed and whole', (usage, told) => {
  const body = { created: 5, data: [{ url: 'https://example.com/1', seed: 7 }], more: 1, usage };
  const read = { input: told.input_tokens, output: told.output_tokens, units: { images: 1 } };
  const [passedOn, end] = whole(JSON.stringify(body));
  expect(JSON.parse(passed([passedOn as never]))).toMatchObject({ ...body, usage: told });
  expect(end).toMatchObject({ type: 'finish', usage: read });
  const streamed = readAll(imagesDialect.decodeStream(own()), completed(usage));
  const [, data] = /^event: image_generation.completed\ndata: (.*)\n\n$/.exec(passed(streamed)) ?? [];
  expect(JSON.parse(data as string)).toMatchObject({ b64_json: 'QQ==', usage: told });
  expect(streamed.at(-1)).toMatchObject({ usage: read });
});

test('a usage in unknown words is not known, and is passed on', () => {
  const usage = { credits: 5 };
  const events = whole(JSON.stringify({ created: 1, data: [{ url: 'u' }], usage }));
  expect(JSON.parse(passed(events))).toMatchObject({ usage });
  for (const read of [events, readAll(imagesDialect.decodeStream(own()), completed(usage))])
    expect(read.at(-1)).toMatchObject({ type: 'finish', usage: null });
});

test('a response without its time gets that of the request', () => {
  const requestId = `req_${(1_700_000_000_123).toString(16).padStart(12, '0')}0123456789ab`;
  const input = encodeInput({ model: 'up', text: Buffer.from('{}') }, { requestId }) as never;
  const events = readAll(
    imagesDialect.decodeWhole(input, 'application/json'),
    '{"data":[{"url":"u","seed":1}]}',
  );
  expect(JSON.parse(passed(events))).toEqual({ created: 1_700_000_000, data: [{ url: 'u', seed: 1 }] });
});

test('a complete response passes unchanged', () => {
  const text = `{ "created":1, "data":[{"b64_json":"QQ=="}], "usage":${JSON.stringify(own_words)} }`;
  expect(passed(whole(text))).toBe(text);
  const event = completed(own_words);
  expect(passed(readAll(imagesDialect.decodeStream(own()), event))).toBe(String(event));
});

test.each(['{"data":[]}', '{"data":[{}]}', '{"data":[null]}', '{}', 'x'])(
  '%s in place of a response is an error',
  body => {
    expect(whole(body)).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  },
);

describe('the fields of a form', () => {
  test.each<[string, string, unknown]>([
    ['n', '2', 2],
    ['n', '1.5', 1.5],
    ['n', 'two', 'two'],
    ['n', '', undefined],
    ['output_compression', '-1', -1],
    ['stream', 'true', true],
    // The spelling of Python clients.
    ['stream', 'False', false],
    ['stream', 'yes', 'yes'],
    ['prompt', '2', '2'],
  ])('the form field %s with the value %j is read as %j', (name, value, read) => {
    expect(fieldsOf({ fields: [[name, value]] })[name]).toBe(read);
  });
});
