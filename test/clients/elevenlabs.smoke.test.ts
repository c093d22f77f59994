import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import type { Recorded } from '@model-gateway/simulator';
import OpenAI from 'openai';
import type { SpeechCreateParams } from 'openai/resources/audio/speech';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulated, startSimulated } from '../stack/simulated.ts';

let gateway: Simulated;
let client: OpenAI;
let vendor: ElevenLabsClient;
/** The services' warnings. */
const lines: string[] = [];

beforeAll(async () => {
  gateway = await startSimulated(
    url => {
      const provider = { kind: 'elevenlabs', baseUrl: url };
      const target = (provider: string, model = 'sim-fast') => ({ provider, model });
      return {
        providers: [
          { ...provider, name: 'elevenlabs', apiKey: { value: 'a-key' } },
          { ...provider, name: 'wrong', apiKey: { value: 'invalid' } },
          { name: 'openai', kind: 'openai', baseUrl: `${url}/v1`, apiKey: { value: 'another-key' } },
        ],
        models: [
          { name: 'eleven/*', targets: [target('elevenlabs', '*')] },
          { name: 'wrong', targets: [target('wrong')] },
          { name: 'first-eleven', targets: [target('elevenlabs', 'fault-503'), target('openai')] },
          { name: 'first-openai', targets: [target('openai', 'fault-503'), target('elevenlabs')] },
          { name: 'both', targets: [target('elevenlabs'), target('openai')], strategy: 'ordered' },
        ],
      };
    },
    { log: pino({ level: 'warn' }, { write: line => void lines.push(line) }) },
  );
  const { url, token } = gateway.stack;
  client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
  vendor = new ElevenLabsClient({ baseUrl: gateway.simulator.url, apiKey: 'a-key' });
});
afterAll(() => gateway?.stop());

const voice = 'JBFqnCBsd6RMkjVDRZzb';
const spoken = {
  model: 'eleven/sim-fast',
  input: 'Hello there, gateway!',
  voice,
} satisfies SpeechCreateParams;

async function bytesOf(audio: Pick<Response, 'arrayBuffer'>): Promise<Buffer> {
  return Buffer.from(await audio.arrayBuffer());
}

/** The last request at the simulator. */
function last(): Recorded {
  return gateway.simulator.requests.at(-1) as Recorded;
}

/** The vendor's request for one of its formats. */
async function theirs(outputFormat: 'mp3_44100_128' | 'opus_48000_128' | 'wav_24000' | 'pcm_24000') {
  const request = { text: spoken.input, modelId: 'sim-fast' };
  const audio =
    outputFormat === 'wav_24000'
      ? await vendor.textToSpeech.convert(voice, { ...request, outputFormat })
      : await vendor.textToSpeech.stream(voice, { ...request, outputFormat });
  return bytesOf(new Response(audio as ReadableStream<Uint8Array>));
}

describe('audio', () => {
  test.each([
    ['mp3', 'audio/mpeg', 'mp3_44100_128'],
    ['opus', 'audio/opus', 'opus_48000_128'],
    ['wav', 'audio/wav', 'wav_24000'],
    ['pcm', 'audio/pcm', 'pcm_24000'],
  ] as const)(
    '%s is %s, and is requested as the SDK of the vendor requests it',
    async (format, type, named) => {
      const expected = await theirs(named);
      const asked = last();
      const response = await client.audio.speech.create({ ...spoken, response_format: format });
      expect(response.headers.get('content-type')).toBe(type);
      const bytes = await bytesOf(response);
      expect(bytes.length).toBeGreaterThan(500);
      expect(bytes.equals(expected)).toBe(true);
      expect(last().path).toBe(asked.path);
      expect(JSON.parse(last().body)).toEqual(JSON.parse(asked.body));
      expect(last().headers['xi-api-key']).toBe(asked.headers['xi-api-key']);
      expect(last().headers.authorization).toBeUndefined();
    },
  );

  test('a speed is a setting of the voice', async () => {
    await bytesOf(await client.audio.speech.create({ ...spoken, speed: 1.1 }));
    expect(JSON.parse(last().body)).toMatchObject({ voice_settings: { speed: 1.1 } });
  });
});

test('streams in pieces, and the upstream is closed when the client leaves', async () => {
  const response = await client.audio.speech.create({ ...spoken, model: 'eleven/sim-t200-i50ms' });
  const reader = response.body?.getReader();
  expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
  expect(gateway.simulator.openStreams()).toBe(1);
  await reader?.cancel();
  await expect.poll(() => gateway.simulator.openStreams()).toBe(0);
  const usage = expect.objectContaining({ units: { characters: spoken.input.length } });
  await expect
    .poll(() => gateway.stack.usage)
    .toContainEqual(expect.objectContaining({ outcome: 'cancelled', charged: true, usage }));
});

describe('events', () => {
  const asked: SpeechCreateParams = { ...spoken, stream_format: 'sse', response_format: 'mp3' };
  const eventsOf = (text: string) =>
    text.split('\n\n').flatMap(each => (each.startsWith('data: ') ? [JSON.parse(each.slice(6))] : []));

  test('hold the audio, and end with speech.audio.done', async () => {
    const response = await client.audio.speech.create(asked);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = eventsOf(await response.text());
    const audio = events.flatMap(({ audio }) => (audio ? [Buffer.from(audio, 'base64')] : []));
    expect(Buffer.concat(audio).equals(await theirs('mp3_44100_128'))).toBe(true);
    expect(events.at(-1)).toEqual({
      type: 'speech.audio.done',
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    });
  });

  test('arrive while the upstream still speaks', async () => {
    const model = 'eleven/sim-t400-i50ms';
    const response = await client.audio.speech.create({ ...asked, model });
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toMatch(/speech\.audio\.delta/);
    expect(gateway.simulator.openStreams()).toBe(1);
    await reader?.cancel();
  });

  test('of audio that is cut end with an error', async () => {
    const response = await client.audio.speech.create({ ...asked, model: 'eleven/fault-reset-t40-i50ms' });
    const text = await response.text();
    expect(text).toContain('speech.audio.delta');
    expect(text).not.toContain('speech.audio.done');
    expect(text).toMatch(/event: error\ndata: .*mid-response/);
  });
});

describe('errors', () => {
  test('a voice that does not exist is named', async () => {
    const asked = client.audio.speech.create({ ...spoken, voice: 'missing' });
    await expect(asked).rejects.toMatchObject({ status: 400, param: 'voice', code: 'voice_not_found' });
  });

  test('a wrong key is the fault of the gateway, and a sentence in its log and in /readyz', async () => {
    const asked = client.audio.speech.create({ ...spoken, model: 'wrong' });
    await expect(asked).rejects.toMatchObject({ status: 502 });
    const problem = "provider wrong: 401: The upstream refused the gateway's credential; set a valid apiKey";
    await expect.poll(() => lines.some(line => line.includes(problem))).toBe(true);
    expect(lines.filter(line => line.includes('provider elevenlabs:'))).toEqual([]);
    expect(gateway.stack.workerNotices()).toEqual([expect.stringContaining(problem)]);
  });
});

describe('failover', () => {
  const expectAnswer = async (model: string, fields: object = {}) => {
    const response = await client.audio.speech.create({ ...spoken, model, ...fields });
    expect(response.headers.get('content-type')).toMatch(/^audio\//);
    expect((await bytesOf(response)).length).toBeGreaterThan(500);
    return last().path;
  };

  test('goes to a provider of the other format, both ways', async () => {
    expect(await expectAnswer('first-eleven')).toBe('/v1/audio/speech');
    expect(await expectAnswer('first-openai')).toBe(`/v1/text-to-speech/${voice}/stream`);
  });

  test('goes to the provider that has what the first lacks', async () => {
    expect(await expectAnswer('both')).toBe(`/v1/text-to-speech/${voice}/stream`);
    expect(await expectAnswer('both', { response_format: 'flac' })).toBe('/v1/audio/speech');
    expect(await expectAnswer('both', { voice: 'missing' })).toBe('/v1/audio/speech');
  });
});
