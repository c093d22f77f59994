import { createOpenAI, type OpenAIProvider } from '@ai-sdk/openai';
import { generateSpeech, transcribe } from 'ai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AudioGateway, startAudioGateway, wav } from './audio.ts';

let gateway: AudioGateway;
let openai: OpenAIProvider;
beforeAll(async () => {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  gateway = await startAudioGateway();
  const { url, token } = gateway.stack;
  openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: token });
});
afterAll(() => gateway?.stop());

test.each([
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
])('speech is generated as %s', async (outputFormat, type) => {
  const model = openai.speech('audio/sim-fast');
  const { audio } = await generateSpeech({ model, text: 'Hello there!', voice: 'nova', outputFormat });
  expect(audio.uint8Array.length).toBeGreaterThan(500);
  expect(audio.mediaType).toBe(type);
});

test.each(['audio/sim-fast', 'whisper-1', 'gpt-4o-transcribe', 'gpt-4o-transcribe-diarize'])(
  'a file is transcribed by %s',
  async name => {
    const model = openai.transcription(name);
    const heard = await transcribe({ model, audio: wav(4), maxRetries: 0 });
    expect(heard.text).toMatch(/^Good morning/);
  },
);

test('a transcription has words with timestamps', async () => {
  const { segments, durationInSeconds } = await transcribe({
    model: openai.transcription('whisper-1'),
    audio: wav(4),
    providerOptions: { openai: { timestampGranularities: ['word'], language: 'en', temperature: 0 } },
  });
  expect(segments.length).toBeGreaterThan(2);
  expect(durationInSeconds).toBeCloseTo(4, 1);
});

test('a refused audio request throws an error with a message', async () => {
  const model = openai.transcription('audio/fault-400');
  const refused = transcribe({ model, audio: wav(1), maxRetries: 0 });
  await expect(refused).rejects.toMatchObject({ statusCode: 400 });
});
