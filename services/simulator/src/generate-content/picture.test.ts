import { type GenerateContentParameters, GoogleGenAI, Modality } from '@google/genai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blank, paint, pixelAt } from '../pictures/bitmap.ts';
import { decode, encode } from '../pictures/codecs.ts';
import { type StartedSimulator, startSimulator } from '../start.ts';

let simulator: StartedSimulator;
let client: GoogleGenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: simulator.url } });
});
afterAll(() => simulator.close());

const model = 'sim-fast';
const both = [Modality.TEXT, Modality.IMAGE];

/** The parts of an answer, whole and streamed, and its usage. */
async function ask(contents: GenerateContentParameters['contents'], config: object) {
  const request = { model, contents, config: { responseModalities: both, ...config } };
  const whole = await client.models.generateContent(request);
  const streamed = [];
  let usage: unknown;
  for await (const chunk of await client.models.generateContentStream(request)) {
    streamed.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    usage = chunk.usageMetadata;
  }
  expect(usage).toEqual(whole.usageMetadata);
  const parts = whole.candidates?.[0]?.content?.parts ?? [];
  expect(streamed.filter(part => part.inlineData)).toEqual(parts.filter(part => part.inlineData));
  const textOf = (list: typeof parts) => list.map(({ text }) => text ?? '').join('');
  expect(textOf(streamed)).toBe(textOf(parts));
  const data = parts.find(part => part.inlineData)?.inlineData;
  return { whole, parts, data, bitmap: await decode(Buffer.from(data?.data ?? '', 'base64')) };
}

test('an image comes after the words', async () => {
  const { parts, data, bitmap, whole } = await ask('Draw a red fox', {});
  expect(parts).toEqual([{ text: expect.any(String) }, { inlineData: expect.anything() }]);
  expect(data?.mimeType).toBe('image/png');
  expect(bitmap).toMatchObject({ width: 1_024, height: 1_024 });
  expect(whole.usageMetadata?.candidatesTokensDetails).toContainEqual({
    modality: 'IMAGE',
    tokenCount: 1_290,
  });
  expect(whole.usageMetadata?.candidatesTokenCount).toBeGreaterThan(1_290);
  expect(whole.candidates?.[0]?.finishReason).toBe('STOP');
});

test('an image comes alone, in the shape that is asked for', async () => {
  const { parts, bitmap } = await ask('Draw a red fox', {
    responseModalities: [Modality.IMAGE],
    imageConfig: { aspectRatio: '16:9' },
  });
  expect(parts).toHaveLength(1);
  expect(bitmap).toMatchObject({ width: 1_344, height: 768 });
});

test('it is drawn over the last image that came', async () => {
  const given = blank(32, 32);
  paint(given, () => [10, 200, 30, 255]);
  const data = (await encode(given, 'png', 100)).toString('base64');
  const { bitmap } = await ask([{ text: 'Add a hat' }, { inlineData: { mimeType: 'image/png', data } }], {});
  expect(bitmap && pixelAt(bitmap, 0, 0)).toEqual([10, 200, 30, 255]);
});

test('none comes where it is refused, or not asked for', async () => {
  expect((await ask('Please refuse', {})).bitmap).toBeNull();
  expect((await ask('Draw a red fox', { responseModalities: [Modality.TEXT] })).bitmap).toBeNull();
});

test.each<[string, object]>([
  ['a shape that there is not', { imageConfig: { aspectRatio: '7:1' } }],
  ['a size that there is not', { imageConfig: { imageSize: '8K' } }],
])('%s is refused', async (_what, config) => {
  await expect(ask('Draw a red fox', config)).rejects.toMatchObject({ status: 400 });
});

test('what is no image is refused', async () => {
  const inlineData = { mimeType: 'image/png', data: 'AAAA' };
  await expect(ask([{ text: 'Add a hat' }, { inlineData }], {})).rejects.toMatchObject({ status: 400 });
});
