import OpenAI, { toFile } from 'openai';
import type { ImageEditParamsNonStreaming, ImageGenerateParamsNonStreaming } from 'openai/resources/images';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bitmap, blank, paint, pixelAt } from '../pictures/bitmap.ts';
import { decode, encode, typeOf } from '../pictures/codecs.ts';
import { type StartedSimulator, startSimulator } from '../start.ts';
import { post } from '../testing/post.ts';

let simulator: StartedSimulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => simulator.close());

const model = 'sim-fast';
const prompt = 'A red fox';
const size = '320x160';
const green = [10, 200, 30, 255] as const;

const generate = (more: object = {}) =>
  client.images.generate({ model, prompt, size, ...more } as ImageGenerateParamsNonStreaming);
const edit = (more: object) =>
  client.images.edit({ model, prompt, size, ...more } as ImageEditParamsNonStreaming);

async function imageIn(data: string | undefined): Promise<Bitmap> {
  const bitmap = await decode(Buffer.from(data ?? '', 'base64'));
  if (!bitmap) throw new Error('There is no image.');
  return bitmap;
}

/** A file of one colour, or transparent in its left half. */
async function file(name = 'a.png', { half = false, type = 'image/png', width = 320 } = {}) {
  const bitmap = blank(width, 160);
  paint(bitmap, x => (half && x < width / 2 ? [0, 0, 0, 0] : green));
  return toFile(await encode(bitmap, 'png', 100), name, { type });
}

async function read<T>(stream: PromiseLike<AsyncIterable<T>>): Promise<T[]> {
  const events: T[] = [];
  for await (const event of await stream) events.push(event);
  return events;
}

describe('the OpenAI client', () => {
  test('gets images of the size that it asks for', async () => {
    const answer = await generate({ n: 2 });
    expect(answer).toMatchObject({
      created: expect.any(Number),
      background: 'opaque',
      output_format: 'png',
      quality: 'medium',
      size,
      usage: {
        input_tokens: 3,
        input_tokens_details: { text_tokens: 3, image_tokens: 0 },
        output_tokens: 2 * Math.ceil((1_056 * 320 * 160) / 1_024 ** 2),
      },
    });
    const [one, other] = answer.data ?? [];
    expect(one?.b64_json).not.toBe(other?.b64_json);
    expect(await imageIn(one?.b64_json)).toMatchObject({ width: 320, height: 160 });
    expect((await generate()).data?.[0]?.b64_json).toBe(one?.b64_json);
  });

  test.each(['png', 'jpeg', 'webp'] as const)('gets %s', async output_format => {
    const answer = await generate({ output_format, output_compression: 50 });
    expect(answer.output_format).toBe(output_format);
    expect(typeOf(Buffer.from(answer.data?.[0]?.b64_json ?? '', 'base64'))).toBe(output_format);
  });

  test('gets an image without a background', async () => {
    const { data } = await generate({ background: 'transparent' });
    expect(pixelAt(await imageIn(data?.[0]?.b64_json), 0, 0)[3]).toBe(0);
  });

  test('gets a URL under which the image is', async () => {
    for (const answer of [
      await generate({ response_format: 'url' }),
      await generate({ model: 'dall-e-2', size: '256x256' }),
    ]) {
      const [image] = answer.data ?? [];
      expect(image).not.toHaveProperty('b64_json');
      const response = await fetch(image?.url ?? '');
      expect(response.headers.get('content-type')).toBe('image/png');
      expect(typeOf(await response.bytes())).toBe('png');
    }
    expect((await fetch(`${simulator.url}/v1/images/files/none.png`)).status).toBe(404);
  });

  test('sees an image come', async () => {
    const params = { model, prompt, size, stream: true, partial_images: 2 } as const;
    const events = await read(client.images.generate(params));
    expect(events).toMatchObject([
      { type: 'image_generation.partial_image', partial_image_index: 0, size },
      { type: 'image_generation.partial_image', partial_image_index: 1, size },
      { type: 'image_generation.completed', size, usage: { input_tokens: 3 } },
    ]);
    for (const { b64_json } of events) expect(await imageIn(b64_json)).toMatchObject({ width: 320 });
    expect(new Set(events.map(({ b64_json }) => b64_json)).size).toBe(3);
    expect(events[2]?.b64_json).toBe((await generate()).data?.[0]?.b64_json);
    const alone = await read(client.images.generate({ model, prompt, size, stream: true }));
    expect(alone.map(({ type }) => type)).toEqual(['image_generation.completed']);
  });

  test('sees its prompt over the image that it sends', async () => {
    const answer = await edit({ image: await file() });
    const image = await imageIn(answer.data?.[0]?.b64_json);
    expect(pixelAt(image, 0, 0)).toEqual(green);
    expect(image.data).toContain(255);
    expect(answer.usage).toMatchObject({ input_tokens_details: { text_tokens: 3, image_tokens: 323 } });
  });

  test('sends many images and a mask, and sees the edit come', async () => {
    const image = [await file('a.png'), await file('b.png')];
    const mask = await file('mask.png', { half: true });
    const params = { model, prompt, size, image, mask, stream: true, partial_images: 1 } as const;
    const events = await read(client.images.edit(params));
    expect(events.map(({ type }) => type)).toEqual(['image_edit.partial_image', 'image_edit.completed']);
    expect(events[1]).toMatchObject({ usage: { input_tokens_details: { image_tokens: 646 } } });
    const edited = await imageIn(events[1]?.b64_json);
    expect(pixelAt(edited, 0, 0)).not.toEqual(green);
    expect(pixelAt(edited, 319, 0)).toEqual(green);
    expect(JSON.parse(simulator.requests.at(-1)?.body ?? '')).toMatchObject({
      fields: expect.arrayContaining([['prompt', prompt]]),
      files: expect.arrayContaining([expect.objectContaining({ name: 'image[]', filename: 'b.png' })]),
    });
  });

  test('gets an edit in the size of its image', async () => {
    expect((await edit({ image: await file(), size: undefined })).size).toBe('320x160');
    expect((await edit({ image: await file('a.png', { width: 321 }), size: 'auto' })).size).toBe('1024x1024');
  });

  test.each<[object, string | null, string]>([
    [{ prompt: undefined }, 'missing_required_parameter', 'prompt'],
    [{ prompt: '' }, 'string_below_min_length', 'prompt'],
    [{ prompt: 'x'.repeat(32_001) }, 'string_above_max_length', 'prompt'],
    [{ model: 'dall-e-2', size: '256x256', prompt: 'x'.repeat(1_001) }, 'string_above_max_length', 'prompt'],
    [{ n: 0 }, 'integer_below_min_value', 'n'],
    [{ n: 11 }, 'integer_above_max_value', 'n'],
    [{ model: 'dall-e-3', size: '1024x1024', n: 2 }, 'integer_above_max_value', 'n'],
    [{ size: 'big' }, 'invalid_value', 'size'],
    [{ size: '100x100' }, 'invalid_value', 'size'],
    [{ size: '64x1024' }, 'invalid_value', 'size'],
    [{ size: '8192x8192' }, 'invalid_value', 'size'],
    [{ model: 'gpt-image-1', size: '512x512' }, 'invalid_value', 'size'],
    [{ model: 'gpt-image-1', size: 'auto', response_format: 'url' }, 'unknown_parameter', 'response_format'],
    [{ model: 'dall-e-2', size: '256x256', stream: true }, 'unknown_parameter', 'stream'],
    [{ quality: 'best' }, 'invalid_value', 'quality'],
    [{ output_format: 'gif' }, 'invalid_value', 'output_format'],
    [{ output_compression: 101 }, 'integer_above_max_value', 'output_compression'],
    [{ background: 'transparent', output_format: 'jpeg' }, 'invalid_value', 'background'],
    [{ stream: true, partial_images: 4 }, 'integer_above_max_value', 'partial_images'],
    [{ partial_images: 1 }, 'invalid_value', 'partial_images'],
    [{ images: [] }, 'unknown_parameter', 'images'],
  ])('is refused: case %#', async (more, code, param) => {
    await expect(generate(more)).rejects.toMatchObject({ status: 400, code, param });
  });

  test.each<[string, () => Promise<object>, string, string]>([
    ['no image', async () => ({ image: [] }), 'missing_required_parameter', 'image'],
    [
      'another kind of file',
      async () => ({ image: await file('a.txt', { type: 'text/plain' }) }),
      'unsupported_file_mimetype',
      'image',
    ],
    [
      'what is no image',
      async () => ({ image: await toFile(Buffer.from('x'), 'a.png', { type: 'image/png' }) }),
      'invalid_image_file',
      'image',
    ],
    [
      'another size of mask',
      async () => ({ image: await file(), mask: await file('m.png', { width: 64 }) }),
      'invalid_value',
      'mask',
    ],
    [
      'too many images',
      async () => ({ image: await Promise.all(Array.from({ length: 17 }, () => file())) }),
      'array_above_max_length',
      'image',
    ],
    ['a number that is none', async () => ({ image: await file(), n: 'two' }), 'invalid_type', 'n'],
    [
      'a field that there is not',
      async () => ({ image: await file(), hat: 'red' }),
      'unknown_parameter',
      'hat',
    ],
  ])('is refused with %s', async (_what, more, code, param) => {
    await expect(edit(await more())).rejects.toMatchObject({ status: 400, code, param });
  });

  test.each([
    ['fault-429', OpenAI.RateLimitError],
    ['fault-error', OpenAI.InternalServerError],
  ])('%s is thrown', async (name, error) => {
    await expect(generate({ model: name })).rejects.toThrow(error);
    await expect(edit({ model: name, image: await file() })).rejects.toThrow(error);
  });

  test('an error in the middle of a stream is thrown', async () => {
    const params = { model: 'fault-error', prompt, size, stream: true, partial_images: 2 } as const;
    const seen: string[] = [];
    const reading = async () => {
      for await (const { type } of await client.images.generate(params)) seen.push(type);
    };
    await expect(reading()).rejects.toThrow(OpenAI.APIError);
    expect(seen).toEqual(['image_generation.partial_image', 'image_generation.partial_image']);
  });
});

describe('an edit as JSON', () => {
  const ask = (more: object) => post(`${simulator.url}/v1/images/edits`, { model, prompt, size, ...more });

  test('is that of the form', async () => {
    const bytes = await (await file()).bytes();
    const image_url = `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`;
    const { status, body } = await ask({ images: [{ image_url }] });
    expect(status).toBe(200);
    expect(body.data).toEqual((await edit({ image: await file() })).data);
  });

  test.each<[object, string, string]>([
    [{}, 'missing_required_parameter', 'images'],
    [{ images: [] }, 'empty_array', 'images'],
    [{ images: [{}] }, 'invalid_value', 'images[0]'],
    [{ images: [{ file_id: 'file-1' }] }, 'file_not_found', 'images[0].file_id'],
    [{ images: [{ image_url: 'https://images.example/a.png' }] }, 'invalid_image_url', 'images[0].image_url'],
    [{ images: [{ image_url: 'data:image/png;base64,AAAA' }] }, 'invalid_image_file', 'image'],
  ])('%j is refused', async (more, code, param) => {
    const { status, body } = await ask(more);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code, param });
  });
});
