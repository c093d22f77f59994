import OpenAI from 'openai';
import type { SpeechCreateParams } from 'openai/resources/audio/speech';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type StartedSimulator, startSimulator } from '../start.ts';

let simulator: StartedSimulator;
let client: OpenAI;
beforeEach(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterEach(() => simulator.close());

// 50 characters: three seconds.
const input = 'The gateway answers every model, quickly and well.';
type Asked = Partial<SpeechCreateParams>;

async function speak(asked: Asked = {}): Promise<Buffer> {
  const response = await create(asked);
  return Buffer.from(await response.arrayBuffer());
}

function create(asked: Asked, options?: OpenAI.RequestOptions) {
  return client.audio.speech.create({ model: 'sim-fast', voice: 'alloy', input, ...asked }, options);
}

/** What raw requests get, which the client would not send. */
function post(body: object): Promise<Response> {
  const asked = { model: 'sim-fast', voice: 'alloy', input, ...body };
  return fetch(`${simulator.url}/v1/audio/speech`, { method: 'POST', body: JSON.stringify(asked) });
}

const stats = async () => (await fetch(`${simulator.url}/stats`)).json();

describe('the OpenAI client', () => {
  test.each([
    ['mp3', 'audio/mpeg', 12_000],
    ['opus', 'audio/opus', 13_300],
    ['aac', 'audio/aac', 8_315],
    ['flac', 'audio/flac', 145_714],
    ['wav', 'audio/wav', 144_044],
    ['pcm', 'audio/pcm', 144_000],
  ] as const)('hears %s', async (response_format, type, bytes) => {
    const response = await create({ response_format });
    expect(response.headers.get('content-type')).toBe(type);
    expect(Buffer.from(await response.arrayBuffer())).toHaveLength(bytes);
  });

  test('hears MP3 unless it says otherwise', async () => {
    expect(await speak()).toEqual(await speak({ response_format: 'mp3' }));
  });

  test('hears the text, the voice and the speed', async () => {
    const pcm = { response_format: 'pcm' } as const;
    const said = await speak(pcm);
    expect(await speak(pcm)).toEqual(said);
    expect(await speak({ ...pcm, voice: 'echo' })).not.toEqual(said);
    expect(await speak({ ...pcm, input: `${input.slice(0, -2)}m.` })).not.toEqual(said);
    expect(await speak({ ...pcm, speed: 2 })).toHaveLength(said.length / 2);
    expect(await speak({ ...pcm, voice: { id: 'voice_1' } })).toHaveLength(said.length);
    expect(await speak({ ...pcm, input: '👋' })).toHaveLength(60 * 48);
  });

  test('hears as much as the model is asked for, each token after an interval', async () => {
    const started = performance.now();
    const response = await create({ model: 'sim-t5-i50ms-f100ms', response_format: 'pcm' });
    const firstMs = performance.now() - started;
    expect(firstMs).toBeGreaterThan(95);
    const reads: number[] = [];
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) reads.push(chunk.length);
    // The last one is 250 ms after the first.
    expect(performance.now() - started).toBeGreaterThan(Math.max(340, firstMs + 100));
    expect(reads.length).toBeGreaterThan(1);
  });

  test('hears the same in events, with what it cost', async () => {
    for (const response_format of ['wav', 'opus'] as const) {
      const response = await create({ response_format, stream_format: 'sse', instructions: 'Sing.' });
      expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
      const events = (await response.text())
        .trimEnd()
        .split('\n\n')
        .map(line => JSON.parse(line.slice(6)));
      const deltas = events.filter(({ type }) => type === 'speech.audio.delta');
      expect(deltas.length).toBeGreaterThan(8);
      const all = Buffer.concat(deltas.map(({ audio }) => Buffer.from(audio, 'base64')));
      expect(all).toEqual(await speak({ response_format }));
      expect(events.at(-1)).toEqual({
        type: 'speech.audio.done',
        usage: { input_tokens: 14, output_tokens: 60, total_tokens: 74 },
      });
    }
    expect(await stats()).toMatchObject({ usage: { input: 2 * 14 + 2 * 13, output: 4 * 60 } });
  });

  test('is counted while it listens, and when it leaves', async () => {
    const leaving = new AbortController();
    const response = await create({ model: 'sim-t1000-i20ms' }, { signal: leaving.signal });
    await response.body?.getReader().read();
    expect(await stats()).toMatchObject({ streams: 1, cancelled: 0 });
    leaving.abort();
    await vi.waitFor(async () => expect(await stats()).toMatchObject({ streams: 0, cancelled: 1 }));
  });
});

test.each<[object, string, string, RegExp]>([
  [{ input: undefined }, 'missing_required_parameter', 'input', /^Missing required parameter: 'input'/],
  [{ input: '' }, 'string_below_min_length', 'input', /too short/],
  [{ input: 'x'.repeat(4_097) }, 'string_above_max_length', 'input', /maximum length 4096.*length 4097/],
  [{ voice: undefined }, 'missing_required_parameter', 'voice', /'voice'/],
  [{ voice: 7 }, 'invalid_type', 'voice', /a string or an object|an object or a string/],
  [{ response_format: 'midi' }, 'invalid_value', 'response_format', /'mp3', 'opus', .* and 'pcm'/],
  [{ speed: 0.2 }, 'decimal_below_min_value', 'speed', />= 0.25/],
  [{ speed: 5 }, 'integer_above_max_value', 'speed', /<= 4/],
  [{ stream_format: 'ws' }, 'invalid_value', 'stream_format', /'sse' and 'audio'/],
  [
    { model: 'tts-1', stream_format: 'sse' },
    'unsupported_value',
    'stream_format',
    /not supported with model/,
  ],
  [{ tone: 'warm' }, 'unknown_parameter', 'tone', /^Unknown parameter/],
])('%.60j is refused', async (body, code, param, message) => {
  const response = await post(body);
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    error: { message: expect.stringMatching(message), type: 'invalid_request_error', param, code },
  });
});

describe('faults', () => {
  test.each([
    ['fault-429', OpenAI.RateLimitError],
    ['fault-error', OpenAI.InternalServerError],
    ['fault-error-first', OpenAI.InternalServerError],
    ['fault-reset-first', OpenAI.APIConnectionError],
  ])('%s comes before the first byte', async (model, error) => {
    await expect(speak({ model })).rejects.toThrow(error);
  });

  test('fault-truncate and fault-no-end end too early, without a sign', async () => {
    const all = await speak({ response_format: 'wav' });
    const some = await speak({ model: 'fault-truncate', response_format: 'wav' });
    const most = await speak({ model: 'fault-no-end', response_format: 'wav' });
    expect(all.subarray(0, some.length)).toEqual(some);
    expect(some.length).toBeGreaterThan(44);
    expect(some.length).toBeLessThan(all.length * 0.8);
    expect(most).toHaveLength(all.length - 960);
  });

  test('fault-reset cuts the audio, and nobody has left', async () => {
    const response = await create({ model: 'fault-reset', response_format: 'wav' });
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect(await stats()).toMatchObject({ streams: 0, cancelled: 0, usage: { output: 0 } });
  });

  test('fault-stall says something and then nothing', async () => {
    const response = await create({ model: 'fault-stall', response_format: 'pcm' });
    const reader = response.body?.getReader();
    let size = 0;
    const end = new Promise(resolve => setTimeout(resolve, 300, 'silence'));
    const read = async () => {
      for (let some = await reader?.read(); some?.value; some = await reader?.read())
        size += some.value.length;
      return 'end';
    };
    expect(await Promise.race([read(), end])).toBe('silence');
    expect(size).toBeGreaterThan(1_000);
    await reader?.cancel();
    await vi.waitFor(async () => expect(await stats()).toMatchObject({ streams: 0, cancelled: 1 }));
  });

  test('fault-error is an event among events', async () => {
    const text = await (await create({ model: 'fault-error', stream_format: 'sse' })).text();
    const events = text.trimEnd().split('\n\n');
    expect(events).toHaveLength(6);
    expect(events.at(-1)).toMatch(/^data: {"error":{"message"/);
  });
});
