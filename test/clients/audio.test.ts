import OpenAI, { toFile } from 'openai';
import type { SpeechCreateParams } from 'openai/resources/audio/speech';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AudioGateway, startAudioGateway, wav } from './audio.ts';

let gateway: AudioGateway;
let client: OpenAI;
let direct: OpenAI;

beforeAll(async () => {
  gateway = await startAudioGateway();
  const { url, token } = gateway.stack;
  client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
  direct = new OpenAI({ baseURL: `${gateway.simulator.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => gateway?.stop());

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('speech', () => {
  const spoken = { model: 'audio/sim-fast', input: 'Hello there, gateway!', voice: 'alloy' };

  test.each([
    ['mp3', 'audio/mpeg'],
    ['opus', 'audio/opus'],
    ['aac', 'audio/aac'],
    ['flac', 'audio/flac'],
    ['wav', 'audio/wav'],
    ['pcm', 'audio/pcm'],
  ] as const)('speech requested as %s is returned as %s, byte for byte', async (format, type) => {
    const response = await client.audio.speech.create({ ...spoken, response_format: format, speed: 1.5 });
    expect(response.headers.get('content-type')).toBe(type);
    const expected = await direct.audio.speech.create({
      ...spoken,
      model: 'sim-fast',
      response_format: format,
      speed: 1.5,
    });
    const bytes = await bytesOf(response);
    expect(bytes.length).toBeGreaterThan(500);
    expect(bytes.equals(await bytesOf(expected))).toBe(true);
  });

  test('speech streamed as events contains the audio file', async () => {
    const asked: SpeechCreateParams = { ...spoken, stream_format: 'sse', response_format: 'wav' };
    const response = await client.audio.speech.create(asked);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = (await response.text())
      .split('\n\n')
      .filter(text => text.startsWith('data: '))
      .map(text => JSON.parse(text.slice(6)));
    const audio = events.flatMap(({ audio }) => (audio ? [Buffer.from(audio, 'base64')] : []));
    const whole = await client.audio.speech.create({ ...spoken, response_format: 'wav' });
    expect(Buffer.concat(audio).equals(await bytesOf(whole))).toBe(true);
    expect(events.at(-1)).toMatchObject({
      type: 'speech.audio.done',
      usage: { total_tokens: expect.any(Number) },
    });
  });

  test('a refused speech request throws an error with a message', async () => {
    const refused = client.audio.speech.create({ ...spoken, speed: 9 });
    await expect(refused).rejects.toMatchObject({ status: 400, param: 'speed' });
  });
});

describe('transcriptions', () => {
  const file = () => toFile(wav(4), 'talk.wav', { type: 'audio/wav' });
  const model = 'audio/sim-fast';

  test('a transcription is returned as json', async () => {
    const answer = await client.audio.transcriptions.create({ model, file: await file() });
    expect(answer.text).toMatch(/^Good morning/);
    expect(answer.usage).toMatchObject({ type: expect.stringMatching(/^(tokens|duration)$/) });
  });

  test.each([
    ['text', /^Good morning/],
    ['srt', /^1\n00:00:00,000 --> /],
    ['vtt', /^WEBVTT\n\n/],
  ] as const)('a transcription as %s is returned as text', async (format, begins) => {
    const asked = { model, file: await file(), response_format: format };
    const { data, response } = await client.audio.transcriptions.create(asked).withResponse();
    expect(response.headers.get('content-type')).toMatch(/^text\//);
    expect(typeof data).toBe('string');
    expect(data).toMatch(begins);
  });

  test('a transcription as verbose_json has words and segments', async () => {
    const answer = await client.audio.transcriptions.create({
      model,
      file: await file(),
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    });
    expect(Number(answer.duration)).toBeCloseTo(4, 1);
    expect(answer.words?.length).toBeGreaterThan(3);
    expect(answer.segments?.length).toBeGreaterThan(0);
  });

  test.each(['json', 'text', 'srt', 'vtt', 'verbose_json'] as const)(
    'a transcription is streamed from a model that does not stream %s',
    async format => {
      const asked = { model: 'audio/whisper-1', response_format: format, stream: true } as const;
      const events = await Array.fromAsync(
        await client.audio.transcriptions.create({ ...asked, file: await file() }),
      );
      expect(events.map(({ type }) => type)).toEqual(['transcript.text.delta', 'transcript.text.done']);
      expect(events[1]).toHaveProperty('text', (events[0] as { delta: string }).delta);
    },
  );
});

describe('translations', () => {
  test.each(['json', 'verbose_json'] as const)('a translation is returned as %s', async format => {
    const file = await toFile(wav(2), 'talk.wav');
    const asked = { model: 'audio/whisper-1', file, response_format: format, temperature: 0.2 } as const;
    const answer = await client.audio.translations.create(asked);
    expect(answer).toMatchObject({ text: expect.stringMatching(/\w/) });
    expect(gateway.simulator.requests.at(-1)?.path).toBe('/v1/audio/translations');
  });
});
