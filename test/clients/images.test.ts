import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateImage, type ImageModel } from 'ai';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulated, startSimulated } from '../stack/simulated.ts';

let gateway: Simulated;
let client: OpenAI;
let picture: Buffer;

/** The same models at an upstream of each format; `whole` does not stream. */
const upstreams = ['openai', 'gemini'] as const;

beforeAll(async () => {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const at = (provider: string, name: string, model: string) => ({
    name: `${provider}/${name}`,
    targets: [{ provider, model }],
  });
  gateway = await startSimulated(
    url => ({
      providers: [
        { name: 'openai', kind: 'openai-compatible', baseUrl: `${url}/v1` },
        { name: 'gemini', kind: 'gemini', baseUrl: url, apiKey: { value: 'key' } },
      ],
      models: [
        ...upstreams.map(provider => at(provider, 'image', 'sim-fast')),
        ...upstreams.map(provider => at(provider, 'fault-*', 'fault-*')),
        {
          name: 'second-best',
          targets: [
            { provider: 'openai', model: 'fault-500' },
            { provider: 'gemini', model: 'sim-fast' },
          ],
        },
      ],
    }),
    { described: true },
  );
  client = new OpenAI({ baseURL: `${gateway.stack.url}/v1`, apiKey: gateway.stack.token, maxRetries: 0 });
  picture = await drawn({ size: '1024x1024' });
});

afterAll(() => gateway?.stop());

async function drawn(how: { size?: '1024x1024'; background?: 'transparent' }): Promise<Buffer> {
  const { data } = await client.images.generate({ model: 'openai/image', prompt: 'A fox', ...how });
  return bytesOf(data?.[0]?.b64_json);
}

const bytesOf = (base64: string | undefined) => Buffer.from(base64 ?? '', 'base64');
const isPng = (bytes: Uint8Array) => Buffer.from(bytes).subarray(1, 4).toString() === 'PNG';
const fileOf = (name: string) => toFile(picture, name, { type: 'image/png' });

describe.each(upstreams)('openai with an upstream of %s', upstream => {
  const model = `${upstream}/image`;

  test('images.generate returns the requested number of images, with usage', async () => {
    const answer = await client.images.generate({ model, prompt: 'A red fox', n: 3, user: 'u' });
    expect(answer.created).toBeGreaterThan(1_700_000_000);
    expect(answer.data).toHaveLength(3);
    for (const { b64_json } of answer.data ?? []) expect(isPng(bytesOf(b64_json))).toBe(true);
    expect(answer.output_format).toBe('png');
    const { usage } = answer;
    expect(usage?.output_tokens).toBeGreaterThan(0);
    expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0));
    expect(usage?.input_tokens_details).toMatchObject({ image_tokens: 0 });
  });

  test('images.generate streams partial images', async () => {
    const stream = await client.images.generate({
      model,
      prompt: 'A red fox',
      stream: true,
      partial_images: 2,
    });
    const events = [];
    for await (const event of stream) events.push(event);
    const partials = events.filter(({ type }) => type === 'image_generation.partial_image');
    expect(partials).toHaveLength(upstream === 'openai' ? 2 : 0);
    const last = events.at(-1);
    if (last?.type !== 'image_generation.completed') throw new Error(`ended with ${last?.type}`);
    expect(isPng(bytesOf(last.b64_json))).toBe(true);
    expect(last.usage.total_tokens).toBeGreaterThan(0);
    expect(last).toMatchObject({
      size: expect.any(String),
      quality: expect.any(String),
      output_format: 'png',
    });
  });

  test('images.edit edits one image', async () => {
    const image = await fileOf('fox.png');
    const answer = await client.images.edit({ model, prompt: 'Add a hat', image, n: 2 });
    expect(answer.data).toHaveLength(2);
    const edited = bytesOf(answer.data?.[0]?.b64_json);
    expect(isPng(edited)).toBe(true);
    expect(edited.equals(picture)).toBe(false);
    expect(answer.usage?.input_tokens).toBeGreaterThan(0);
  });

  test('images.edit edits several images', async () => {
    const image = [await fileOf('fox.png'), await fileOf('hat.png')];
    const answer = await client.images.edit({ model, prompt: 'Put it on', image });
    expect(isPng(bytesOf(answer.data?.[0]?.b64_json))).toBe(true);
    const one = await client.images.edit({ model, prompt: 'Put it on', image: [await fileOf('fox.png')] });
    expect(one.usage?.input_tokens).toBeLessThan(answer.usage?.input_tokens ?? 0);
  });

  test("an upstream error throws the SDK's error class", async () => {
    const asked = client.images.generate({ model: `${upstream}/fault-429-2s`, prompt: 'A fox' });
    await expect(asked).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    const streamed = client.images.generate({
      model: `${upstream}/fault-500`,
      prompt: 'A fox',
      stream: true,
    });
    await expect(streamed).rejects.toMatchObject({ status: 502, type: 'server_error' });
  });
});

describe('openai with an OpenAI upstream', () => {
  test('images.edit sends a mask', async () => {
    const mask = await toFile(await drawn({ background: 'transparent' }), 'mask.png', { type: 'image/png' });
    const image = await fileOf('fox.png');
    const answer = await client.images.edit({ model: 'openai/image', prompt: 'A hat', image, mask });
    expect(isPng(bytesOf(answer.data?.[0]?.b64_json))).toBe(true);
  });
});

test('a form fails over to the next target, which has another format', async () => {
  const image = [await fileOf('fox.png'), await fileOf('hat.png')];
  const answer = await client.images.edit({ model: 'second-best', prompt: 'A hat', image });
  expect(isPng(bytesOf(answer.data?.[0]?.b64_json))).toBe(true);
  const asked = gateway.simulator.requests.slice(-2).map(({ path }) => path);
  expect(asked).toEqual(['/v1/images/edits', '/v1beta/models/sim-fast:generateContent']);
});

test('the error of a failed target is returned if the next target cannot take the request', async () => {
  const image = await fileOf('fox.png');
  const asked = client.images.edit({ model: 'second-best', prompt: 'A hat', image, mask: image });
  await expect(asked).rejects.toMatchObject({ status: 502, type: 'server_error' });
});

const providers: [string, (settings: { baseURL: string; apiKey: string }, name: string) => ImageModel][] = [
  ['openai', (settings, name) => createOpenAI(settings).image(name)],
  [
    'openai-compatible',
    (settings, name) => createOpenAICompatible({ ...settings, name: 'gateway' }).imageModel(name),
  ],
];
const pairs = providers.flatMap(([provider, make]) =>
  upstreams.map(upstream => ({ provider, make, upstream })),
);

describe.each(pairs)(
  'the AI SDK with provider $provider and an upstream of $upstream',
  ({ make, upstream }) => {
    const model = () => {
      const { url, token } = gateway.stack;
      return make({ baseURL: `${url}/v1`, apiKey: token }, `${upstream}/image`);
    };

    test('generateImage returns an image', async () => {
      const { images } = await generateImage({ model: model(), prompt: 'A fox', n: 2, size: '1024x1024' });
      expect(images).toHaveLength(2);
      for (const { uint8Array, mediaType } of images) {
        expect(mediaType).toBe('image/png');
        expect(isPng(uint8Array)).toBe(true);
      }
    });

    test('generateImage edits an image', async () => {
      const { image } = await generateImage({
        model: model(),
        prompt: { text: 'Add a hat', images: [picture] },
      });
      expect(isPng(image.uint8Array)).toBe(true);
    });
  },
);
