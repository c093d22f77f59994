import OpenAI, { toFile } from 'openai';
import type {
  TranscriptionCreateParamsNonStreaming,
  TranscriptionStreamEvent,
  TranscriptionVerbose,
} from 'openai/resources/audio/transcriptions';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { codecs } from '../speech/codecs/index.ts';
import { type StartedSimulator, startSimulator } from '../start.ts';

let simulator: StartedSimulator;
let client: OpenAI;
beforeEach(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterEach(() => simulator.close());

type Asked = Omit<TranscriptionCreateParamsNonStreaming, 'model' | 'file'> & { model?: string; file?: File };
const model = 'sim-fast';

function wavOf(seconds: number): Promise<File> {
  const frames = seconds * 50;
  const body = Array.from({ length: frames }, (_, at) => codecs.wav.frame(0, at, false));
  return toFile(Buffer.concat([codecs.wav.head(frames), ...body]), 'call.wav');
}

async function transcribe(asked: Asked = {}) {
  const { data, response } = await client.audio.transcriptions
    .create({ model, file: await wavOf(7), ...asked })
    .withResponse();
  return { data: data as unknown, type: response.headers.get('content-type') };
}

/** Both as a stream: its text, and all its events. */
async function streamed(asked: Asked = {}) {
  const events: TranscriptionStreamEvent[] = [];
  const body = { model, file: await wavOf(7), ...asked, stream: true as const };
  for await (const event of await client.audio.transcriptions.create(body)) events.push(event);
  const text = events.map(event => (event.type === 'transcript.text.delta' ? event.delta : '')).join('');
  return { text, events, done: events.at(-1) };
}

/** The body of a response, of whatever shape. */
const jsonOf = async (response: Response | Promise<Response>) => JSON.parse(await (await response).text());
const stats = async () => (await fetch(`${simulator.url}/stats`)).json();
const text = 'Good morning, and thank you all for joining the call. Today we look at how a request finds its';

describe('the OpenAI client', () => {
  test('reads what was said, and what it cost', async () => {
    const usage = {
      type: 'tokens',
      input_tokens: 73,
      input_token_details: { text_tokens: 3, audio_tokens: 70 },
      output_tokens: 20,
      total_tokens: 93,
    };
    const { data } = await transcribe({ prompt: 'A long call' });
    expect(data).toEqual({ text, usage });
    const whole = await streamed({ prompt: 'A long call' });
    expect(whole.text).toBe(text);
    expect(whole.events).toHaveLength(21);
    expect(whole.done).toEqual({ type: 'transcript.text.done', text, usage });
    expect(await stats()).toMatchObject({ usage: { input: 146, output: 40 } });
  });

  test('reads more where more was said, or as much as the model is asked for', async () => {
    const words = async (asked: Asked) =>
      ((await transcribe(asked)).data as { text: string }).text.split(' ').length;
    expect(await words({ file: await wavOf(70) })).toBeGreaterThan(120);
    expect(await words({ file: await wavOf(1) })).toBe(2);
    const { events } = await streamed({ model: 'sim-t200' });
    expect(events).toHaveLength(201);
  });

  test.each(['mp3', 'opus', 'flac', 'wav'] as const)(
    'hears in %s how long its own speech was',
    async format => {
      const input = 'The gateway answers every model, quickly and well. '.repeat(4);
      const speech = await client.audio.speech.create({
        model,
        voice: 'alloy',
        input,
        response_format: format,
      });
      const file = await toFile(speech, `speech.${format}`);
      const { data } = await transcribe({ file, response_format: 'verbose_json' });
      const { duration } = data as TranscriptionVerbose;
      expect(duration).toBeGreaterThan(input.length * 0.06 * 0.97);
      expect(duration).toBeLessThan(input.length * 0.06 * 1.03);
    },
  );

  test('reads everything there is to know', async () => {
    const timestamp_granularities = ['word', 'segment'] as ['word', 'segment'];
    const { data } = await transcribe({
      response_format: 'verbose_json',
      timestamp_granularities,
      language: 'de',
    });
    const { words = [], segments = [], ...rest } = data as TranscriptionVerbose;
    expect(rest).toEqual({
      task: 'transcribe',
      language: 'german',
      duration: 7,
      text,
      usage: { type: 'duration', seconds: 7 },
    });
    expect(segments.map(({ id, start, end, text }) => [id, start, end, text])).toEqual([
      [0, 0, 3.85, ' Good morning, and thank you all for joining the call.'],
      [1, 3.85, 7, ' Today we look at how a request finds its'],
    ]);
    expect(segments[0]?.tokens).toHaveLength(11);
    expect(words.map(({ word }) => word).join(' ')).toBe(text.replace(/[.,]/g, ''));
    expect(words.at(-1)?.end).toBe(7);
    for (const [at, { start, end }] of words.entries()) {
      expect(end).toBeGreaterThan(start);
      expect(start).toBeGreaterThanOrEqual(words[at - 1]?.end ?? 0);
    }
  });

  test.each([
    [undefined, ['segments']],
    [['segment'], ['segments']],
    [['word'], ['words']],
  ])('of granularities %j reads %j', async (timestamp_granularities, lists) => {
    const asked = { response_format: 'verbose_json', timestamp_granularities } as Asked;
    const { data } = await transcribe(asked);
    expect(Object.keys(data as object).filter(key => ['words', 'segments'].includes(key))).toEqual(lists);
  });

  test.each([
    ['text', `${text}\n`],
    [
      'srt',
      '1\n00:00:00,000 --> 00:00:03,850\nGood morning, and thank you all for joining the call.\n\n' +
        '2\n00:00:03,850 --> 00:00:07,000\nToday we look at how a request finds its\n\n',
    ],
    [
      'vtt',
      'WEBVTT\n\n00:00:00.000 --> 00:00:03.850\nGood morning, and thank you all for joining the call.\n\n' +
        '00:00:03.850 --> 00:00:07.000\nToday we look at how a request finds its\n\n',
    ],
  ] as const)('reads %s', async (response_format, data) => {
    expect(await transcribe({ response_format })).toEqual({ data, type: 'text/plain; charset=utf-8' });
  });

  test('reads who spoke', async () => {
    const asked = {
      model: 'gpt-4o-transcribe-diarize',
      chunking_strategy: 'auto',
      response_format: 'diarized_json',
    } as const;
    const segments = (names: string[]) => [
      {
        type: 'transcript.text.segment',
        id: 'seg_0',
        start: 0,
        end: 3.85,
        text: text.slice(0, 53),
        speaker: names[0],
      },
      {
        type: 'transcript.text.segment',
        id: 'seg_1',
        start: 3.85,
        end: 7,
        text: text.slice(54),
        speaker: names[1],
      },
    ];
    const { data } = await transcribe(asked);
    expect(data).toMatchObject({ task: 'transcribe', duration: 7, text, segments: segments(['A', 'B']) });
    const known = { known_speaker_names: ['Ann', 'Bo'], known_speaker_references: ['data:,1', 'data:,2'] };
    const { events } = await streamed({ ...asked, ...known });
    expect(events.filter(({ type }) => type === 'transcript.text.segment')).toEqual(segments(['Ann', 'Bo']));
    expect(events[0]).toMatchObject({ delta: 'Good', segment_id: 'seg_0' });
  });

  test('reads how likely it was', async () => {
    const { data } = await transcribe({ include: ['logprobs'] });
    const { logprobs } = data as { logprobs: { token: string; logprob: number }[] };
    expect(logprobs.map(({ token }) => token).join('')).toBe(text);
    const { events, done } = await streamed({ include: ['logprobs'] });
    expect(events.slice(0, -1).flatMap(event => ('logprobs' in event ? event.logprobs : []))).toEqual(
      logprobs,
    );
    expect(done).toMatchObject({ logprobs });
  });

  test('gets a translation', async () => {
    const create = async (response_format: 'json' | 'text' | 'srt' | 'verbose_json' | 'vtt') =>
      client.audio.translations.create({ model, file: await wavOf(7), response_format });
    expect(await create('json')).toMatchObject({ text });
    expect(await create('text')).toBe(`${text}\n`);
    expect(await create('verbose_json')).toMatchObject({
      task: 'translate',
      language: 'english',
      duration: 7,
    });
  });
});

/** A form of the usual fields, less or more. */
async function formOf(
  fields: Record<string, string | null>,
  file: Blob | null,
  name = 'a.wav',
): Promise<FormData> {
  const form = new FormData();
  for (const [key, value] of Object.entries({ model, ...fields }))
    if (value !== null) form.append(key, value);
  if (file) form.append('file', file, name);
  return form;
}

const post = (body: FormData, path = 'transcriptions') =>
  fetch(`${simulator.url}/v1/audio/${path}`, { method: 'POST', body });

describe('a form', () => {
  test('says lists with brackets or without, and what looks like a number or a switch is one', async () => {
    const fields = {
      'timestamp_granularities[]': 'word',
      response_format: 'verbose_json',
      temperature: '0.4',
      stream: 'False',
    };
    const { words } = await jsonOf(post(await formOf(fields, await wavOf(7))));
    expect(words).toHaveLength(19);
    const bare = await formOf(
      { include: 'logprobs', language: '', 'chunking_strategy[type]': 'server_vad' },
      await wavOf(7),
    );
    expect((await jsonOf(post(bare))).logprobs).toHaveLength(20);
  });

  test('for whisper gets no stream, and is paid by the second', async () => {
    const fields = { model: 'sim-fast-whisper', stream: 'true' };
    const answer = await jsonOf(post(await formOf(fields, await wavOf(6.5))));
    expect(answer).toMatchObject({ usage: { type: 'duration', seconds: 7 } });
    expect(await stats()).toMatchObject({ usage: { input: 0, output: 0 } });
  });

  test('is recorded with all but the bytes of its file', async () => {
    await transcribe();
    const { fields, files } = JSON.parse(simulator.requests[0]?.body ?? '');
    expect(fields).toEqual([['model', model]]);
    expect(files).toEqual([
      {
        name: 'file',
        filename: 'call.wav',
        type: 'application/octet-stream',
        bytes: 7 * 48_000 + 44,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
  });

  const missing = 'missing_required_parameter';
  const unsupported = 'unsupported_value';
  test.each<[Record<string, string | null>, string | null, string, RegExp]>([
    [{ model: null }, missing, 'model', /^Missing required parameter: 'model'/],
    [{ response_format: 'xml' }, 'invalid_value', 'response_format', /'json', 'text'/],
    [{ temperature: 'hot' }, 'invalid_type', 'temperature', /a decimal, but got a string/],
    [{ temperature: '2' }, 'integer_above_max_value', 'temperature', /<= 1/],
    [{ stream: 'maybe' }, 'invalid_type', 'stream', /a boolean/],
    [{ language: 'German' }, 'invalid_value', 'language', /pattern/],
    [{ 'timestamp_granularities[]': 'word' }, unsupported, 'timestamp_granularities', /verbose_json/],
    [
      { 'timestamp_granularities[]': 'day' },
      'invalid_value',
      'timestamp_granularities[0]',
      /'word' and 'segment'/,
    ],
    [{ voice: 'alloy' }, 'unknown_parameter', 'voice', /^Unknown parameter/],
    [{ 'include[]': 'logprobs', response_format: 'text' }, unsupported, 'include', /json/],
    [
      { model: 'gpt-4o-transcribe', response_format: 'srt' },
      unsupported,
      'response_format',
      /Use 'json' or 'text'/,
    ],
    [{ model: 'whisper-1', response_format: 'diarized_json' }, unsupported, 'response_format', /whisper-1/],
    [{ model: 'gpt-4o-transcribe-diarize', prompt: 'Hi' }, unsupported, 'prompt', /not supported/],
  ])('%j is refused', async (fields, code, param, message) => {
    const response = await post(await formOf(fields, await wavOf(1)));
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: { message: expect.stringMatching(message), type: 'invalid_request_error', param, code },
    });
  });

  test('of a translation takes less', async () => {
    const response = await post(await formOf({ stream: 'true' }, await wavOf(1)), 'translations');
    expect((await jsonOf(response)).error).toMatchObject({ code: 'unknown_parameter', param: 'stream' });
  });

  test.each([
    [null, 'a.wav', /^Missing required parameter: 'file'/],
    ['RIFF', 'a.txt', /^Unrecognized file format.*'flac', 'm4a'/],
    ['RIFF', 'a', /^Unrecognized file format/],
    ['no header', 'a.wav', /corrupted/],
    ['x', 'a.mp3', /too short/],
  ])('with the file %j, %s is refused', async (bytes, name, message) => {
    const response = await post(await formOf({}, bytes === null ? null : new Blob([bytes]), name));
    expect(response.status).toBe(400);
    expect((await jsonOf(response)).error).toMatchObject({
      param: 'file',
      message: expect.stringMatching(message),
    });
  });

  test('of a speaker who must be told apart says how to cut', async () => {
    const long = post(await formOf({ model: 'gpt-4o-transcribe-diarize' }, await wavOf(31)));
    expect((await jsonOf(long)).error).toMatchObject({ param: 'chunking_strategy' });
  });

  test('that is JSON is refused', async () => {
    const response = await fetch(`${simulator.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(400);
    expect((await jsonOf(response)).error.message).toMatch(/only accepts 'multipart\/form-data'/);
  });

  test('with the wrong key is refused', async () => {
    const other = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'invalid', maxRetries: 0 });
    const asking = other.audio.transcriptions.create({ model, file: await wavOf(1) });
    await expect(asking).rejects.toThrow(OpenAI.AuthenticationError);
  });
});
