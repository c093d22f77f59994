import { DeepgramClient } from '@deepgram/sdk';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Simulated, startSimulated } from '../stack/simulated.ts';
import { wav } from './audio.ts';

let gateway: Simulated;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startSimulated(
    url => {
      const provider = {
        name: 'deepgram',
        kind: 'deepgram',
        baseUrl: url,
        apiKey: { value: 'dg-secret-key' },
      };
      const targets = (...all: [provider: string, model: string][]) =>
        all.map(([provider, model]) => ({ provider, model }));
      return {
        providers: [
          provider,
          { ...provider, name: 'wrong', apiKey: { value: 'invalid' } },
          { name: 'openai', kind: 'openai-compatible', baseUrl: `${url}/v1` },
        ],
        models: [
          { name: 'nova', targets: targets(['deepgram', 'nova-3']) },
          { name: 'wrong', targets: targets(['wrong', 'nova-3']) },
          { name: 'dg/*', targets: targets(['deepgram', '*']) },
          { name: 'form-last', targets: targets(['deepgram', 'fault-503'], ['openai', 'sim-fast']) },
          { name: 'form-first', targets: targets(['openai', 'fault-503'], ['deepgram', 'nova-3']) },
        ],
      };
    },
    { described: true },
  );
  client = new OpenAI({ baseURL: `${gateway.stack.url}/v1`, apiKey: gateway.stack.token, maxRetries: 0 });
});
afterAll(() => gateway?.stop());

const file = () => toFile(wav(12), 'talk.wav', { type: 'audio/wav' });
const transcriptions = () => client.audio.transcriptions;
const sent = () => {
  const { path = '', headers = {}, body = '{}' } = gateway.simulator.requests.at(-1) ?? {};
  const { pathname, searchParams } = new URL(path, 'http://simulator');
  return { pathname, query: [...searchParams], headers, body: JSON.parse(body) };
};
const lastUsage = () => gateway.stack.usage.at(-1);

test('the audio is sent as it is, with the key and the settings in the query', async () => {
  const answer = await transcriptions().create({ model: 'nova', file: await file() });
  expect(answer.text).toMatch(/^Good morning/);
  expect(answer.usage).toEqual({ type: 'duration', seconds: 12 });
  const { pathname, query, headers, body } = sent();
  expect(pathname).toBe('/v1/listen');
  expect(headers).toMatchObject({ authorization: 'Token dg-secret-key', 'content-type': 'audio/wav' });
  expect(query).toEqual([
    ['model', 'nova-3'],
    ['smart_format', 'true'],
    ['detect_language', 'true'],
  ]);
  expect(body.bytes).toBe(wav(12).length);
  await expect.poll(lastUsage).toMatchObject({
    ...{ provider: 'deepgram', operation: 'transcribe', outcome: 'answered', charged: true },
    usage: { units: { seconds: 12 } },
  });
  expect(lastUsage()?.estimated).toBeUndefined();
});

test("the request is as the vendor's SDK sends it", async () => {
  const fields = { language: 'de', keywords: ['café', 'a b'], response_format: 'diarized_json' } as const;
  await transcriptions().create({ model: 'nova', file: await file(), ...fields, keywords: ['café', 'a b'] });
  const ours = sent();
  const { url } = gateway.simulator;
  const environment = { base: url, production: url, agent: url, agentRest: url };
  const deepgram = new DeepgramClient({ apiKey: 'dg-secret-key', environment });
  const answer = await deepgram.listen.v1.media.transcribeFile(
    { data: wav(12), filename: 'talk.wav', contentType: 'audio/wav' },
    {
      ...{ model: 'nova-3', smart_format: true, language: 'de', utterances: true, diarize: true },
      keyterm: fields.keywords.slice(),
    },
  );
  expect(answer).toMatchObject({ metadata: { duration: 12 }, results: { utterances: expect.any(Array) } });
  const theirs = sent();
  expect(ours.pathname).toBe(theirs.pathname);
  expect(ours.query.toSorted()).toEqual(theirs.query.toSorted());
  expect(ours.body).toEqual(theirs.body);
  expect(ours.headers.authorization).toBe(theirs.headers.authorization);
});

test.each([
  ['text', /^Good morning.*\n$/],
  ['srt', /^1\n00:00:00,000 --> 00:00:\d\d,\d{3}\nGood morning.*\n\n2\n/],
  ['vtt', /^WEBVTT\n\n00:00:00\.000 --> 00:00:\d\d\.\d{3}\nGood morning.*\n\n/],
] as const)('a transcript is written as %s', async (format, expected) => {
  const { data, response } = await transcriptions()
    .create({ model: 'nova', file: await file(), response_format: format })
    .withResponse();
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(data).toMatch(expected);
});

test('a transcript is written as verbose_json with the times that were asked for', async () => {
  const asked = { model: 'nova', file: await file(), response_format: 'verbose_json' } as const;
  const usual = await transcriptions().create(asked);
  expect(usual).toMatchObject({ task: 'transcribe', language: 'english', duration: 12 });
  expect(usual.segments?.[0]).toMatchObject({ id: 0, start: 0, text: expect.stringMatching(/^Good/) });
  expect(usual.words).toBeUndefined();
  const words = await transcriptions().create({ ...asked, timestamp_granularities: ['word'] });
  expect(words.words?.slice(0, 2)).toMatchObject([{ word: 'Good', start: 0 }, { word: 'morning,' }]);
  expect(words.segments).toBeUndefined();
  expect(sent().query).not.toContainEqual(['utterances', 'true']);
});

test('a transcript is written as diarized_json with the speakers as letters', async () => {
  const answer: unknown = await transcriptions().create({
    ...{ model: 'nova', file: await file(), response_format: 'diarized_json', chunking_strategy: 'auto' },
  });
  const { segments } = answer as OpenAI.Audio.TranscriptionDiarized;
  expect(segments.slice(0, 2)).toMatchObject([
    { type: 'transcript.text.segment', id: 'seg_0', speaker: 'A' },
    { id: 'seg_1', speaker: 'B' },
  ]);
  expect(sent().query).toContainEqual(['diarize', 'true']);
});

test.each(['json', 'text', 'verbose_json', 'srt', 'vtt', 'diarized_json'] as const)(
  'a transcript of format %s is streamed as events',
  async format => {
    const asked = { model: 'nova', file: await file(), response_format: format, stream: true } as const;
    const events: OpenAI.Audio.TranscriptionStreamEvent[] = await Array.fromAsync(
      await transcriptions().create(asked),
    );
    const types = [...new Set(events.map(({ type }) => type))];
    const segments = format === 'diarized_json' ? ['transcript.text.segment'] : [];
    expect(types).toEqual(['transcript.text.delta', ...segments, 'transcript.text.done']);
    const text = (events[0] as { delta: string }).delta;
    expect(events.at(-1)).toMatchObject({ text, usage: { type: 'duration', seconds: 12 } });
  },
);

test.each([
  [{ include: ['logprobs'] }, 'include'],
  [{ languages: ['de', 'en'] }, 'languages'],
  [{ known_speaker_names: ['Ann'] }, 'known_speaker_names'],
] as const)('%j is refused', async (fields, param) => {
  const refused = transcriptions().create({ model: 'nova', file: await file(), ...(fields as object) });
  await expect(refused).rejects.toMatchObject({ status: 400, param, code: 'unsupported_value' });
});

test("an upstream's error is the client's, and its key stays secret", async () => {
  const corrupt = await toFile(Buffer.from('{"url":"http://127.0.0.1/"}'), 'a.json', {
    type: 'application/json',
  });
  const refused = transcriptions().create({ model: 'nova', file: corrupt });
  await expect(refused).rejects.toMatchObject({
    ...{ status: 400, message: expect.stringContaining('corrupt or unsupported data') },
  });
  expect(sent().headers['content-type']).toBe('application/octet-stream');
  const limited = transcriptions().create({ model: 'dg/fault-429', file: await file() });
  await expect(limited).rejects.toMatchObject({ status: 429 });
  const wrong = transcriptions().create({ model: 'wrong', file: await file() });
  await expect(wrong).rejects.toMatchObject({ status: 502, message: expect.not.stringContaining('INVALID') });
  const problem = "provider wrong: 401: The upstream refused the gateway's credential; set a valid apiKey";
  expect(gateway.stack.workerNotices()).toEqual([expect.stringContaining(problem)]);
});

test.each([
  ['form-last', '/v1/audio/transcriptions'],
  ['form-first', '/v1/listen'],
])('the model %s fails over to its target of the other format', async (model, path) => {
  const answer = await transcriptions().create({ model, file: await file() });
  expect(answer.text).toMatch(/^Good morning/);
  expect(gateway.simulator.requests.slice(-2).map(({ path }) => path.split('?')[0])).toHaveLength(2);
  expect(sent().pathname).toBe(path);
});

test('a field that only one target supports is sent to that target', async () => {
  const asked = { model: 'form-last', file: await file(), include: ['logprobs'] } as const;
  const answer = await transcriptions().create({ ...asked, include: ['logprobs'] });
  expect(answer.logprobs?.length).toBeGreaterThan(0);
});
