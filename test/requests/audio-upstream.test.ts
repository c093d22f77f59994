import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { standstill } from '../stack/standstill.ts';
import {
  type AudioScript,
  openUploads,
  readAll,
  type ScriptedAudio,
  silentMs,
  startScriptedAudio,
} from './audio.ts';

/** Responds once the whole request is received. */
const say =
  (status: number, type: string | undefined, body: string | Buffer, headers = {}): AudioScript =>
  async (request, response) => {
    await readAll(request);
    response.writeHead(status, { ...(type && { 'content-type': type }), ...headers }).end(body);
  };
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const written = (all: (object | string)[]) =>
  all.map(each => (typeof each === 'string' ? each : event(each))).join('');
const events = (...all: (object | string)[]) => say(200, 'text/event-stream', written(all));

const delta = { type: 'transcript.text.delta', delta: 'Hi' };
const done = { type: 'transcript.text.done', text: 'Hi', usage: { type: 'duration', seconds: 2 } };
const spoken = { type: 'speech.audio.delta', audio: 'SUQz' };
const failure = JSON.stringify({ error: { message: 'GPU on fire', code: 'boom' } });
const second = Buffer.alloc(48_000, 7);
const audio = Buffer.from([0xff, 0xf3, 1, 2, 3]);

let arrived: (exchange: { request: IncomingMessage; response: ServerResponse }) => void = () => {};
const nextRequest = () =>
  new Promise<{ request: IncomingMessage; response: ServerResponse }>(resolve => {
    arrived = resolve;
  });
const bodies: Record<string, Buffer> = {};
/** Resolved once a client has the head of speech that will be cut. */
let hasHead = Promise.withResolvers<void>();

const goodStreams: Record<string, (object | string)[]> = {
  stream: [': hello\n\n', delta, done, 'data: [DONE]\n\n'],
  'stream-unmarked': [delta, done],
  'stream-named': [`event: transcript.text.delta\n${event(delta)}`, `event: done\n${event(done)}`],
};
const chunk = (content: string, finish_reason: string | null = null) => ({
  object: 'transcription.chunk',
  choices: [{ delta: { content }, finish_reason }],
});

const scripts: Record<string, AudioScript> = {
  bytes: say(200, 'application/octet-stream', audio),
  untyped: say(200, undefined, audio),
  typed: say(200, 'audio/x-own; rate=1', audio, { 'content-length': audio.length }),
  'body-error': say(200, 'application/json', failure),
  page: say(200, 'text/html', '<h1>Welcome</h1>'),
  nothing: say(200, 'audio/mpeg', ''),
  'not-found': say(404, 'application/json', failure),
  refused: say(429, 'application/json', failure, { 'retry-after': '7' }),
  async broken(request, response) {
    await readAll(request);
    response.writeHead(200, { 'content-type': 'audio/mpeg' });
    response.write(audio);
    await hasHead.promise;
    response.destroy();
  },
  async cut(request, response) {
    await readAll(request);
    response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': 100 });
    response.write(audio);
    await hasHead.promise;
    response.destroy();
  },
  async silent(request, response) {
    await readAll(request);
    arrived({ request, response });
  },
  async slow(request, response) {
    await readAll(request);
    arrived({ request, response });
    response.writeHead(200, { 'content-type': 'audio/mpeg' });
    response.write(audio);
  },
  async endless(request, response) {
    await readAll(request);
    arrived({ request, response });
    response.writeHead(200, { 'content-type': 'audio/mpeg' });
    const pieces = function* () {
      for (;;) yield second;
    };
    await pipeline(pieces, response).catch(() => {});
  },
  // Reads little of the request.
  async deaf(request, response) {
    await once(request, 'data');
    request.pause();
    arrived({ request, response });
  },
  hasty: (_request, response) =>
    void response.writeHead(413, { 'content-type': 'application/json' }).end(failure),
  busy: (_request, response) =>
    void response.writeHead(503, { 'content-type': 'application/json' }).end(failure),
  reset: request => void request.socket.resetAndDestroy(),
  async keeps(request, response) {
    bodies.keeps = await readAll(request);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"kept"}');
  },
  'speech-events': events(spoken, {
    type: 'speech.audio.done',
    usage: { input_tokens: 3, output_tokens: 9 },
  }),
  'speech-cut': events(spoken),
  'speech-error': events(spoken, { error: { message: 'GPU on fire' } }),
  ...Object.fromEntries(Object.entries(goodStreams).map(([name, all]) => [name, events(...all)])),
  'stream-cut': events(delta),
  'stream-error': events(delta, `event: error\n${event({ error: { message: 'GPU on fire' } })}`),
  'stream-error-first': events({ error: { message: 'GPU on fire' } }),
  'stream-nonsense': events(delta, 'data: {"type":\n\n'),
  'stream-vllm': events(chunk('Hi'), chunk('', 'stop'), 'data: [DONE]\n\n'),
  'stream-speaches': events({ text: 'Hi' }),
  'stream-mistral': events(
    { type: 'transcription.text.delta', text: 'Hi' },
    { type: 'transcription.done', text: 'Hi', usage: { prompt_audio_seconds: 2 } },
  ),
  json: say(200, 'application/json; charset=utf-8', '{"text":"Hi","usage":{"type":"duration","seconds":2}}'),
  'json-text': say(200, 'application/json', '"Hi"'),
  plain: say(200, 'text/plain; charset=utf-8', '{"a":1} is said\n'),
  vtt: say(200, 'text/vtt', 'WEBVTT\n\n'),
  mislabelled: say(200, 'application/json', '1\n00:00:00,000 --> 00:00:01,500\nHello\n\n'),
  other: say(200, 'application/json', '{"result":"Hi"}'),
};

const time = new PassingTime();
let gateway: ScriptedAudio;
beforeAll(async () => {
  const failovers = ['busy', 'reset', 'body-error', 'page', 'nothing', 'hasty'].flatMap(name => [
    `${name}>keeps`,
    `${name}>bytes`,
  ]);
  const all = [...failovers, 'broken>bytes', 'stream-error-first>stream'];
  gateway = await startScriptedAudio(scripts, all, { time });
});
afterAll(() => gateway?.stop());
afterEach(() => expect.poll(openUploads).toEqual([]));

const typeOf = (response: Response) => response.headers.get('content-type');
async function errorOf(response: Response) {
  expect(typeOf(response)).toBe('application/json');
  const { error } = (await response.json()) as { error: { message: string; code: string | null } };
  return [response.status, error.code, error.message];
}

describe('speech of an upstream', () => {
  test.each([
    ['bytes', {}, 'audio/mpeg'],
    ['bytes', { response_format: 'opus' }, 'audio/opus'],
    ['untyped', { response_format: 'pcm' }, 'audio/pcm'],
    ['typed', { response_format: 'wav' }, 'audio/x-own; rate=1'],
  ])('speech of the upstream %s with %j has the type %s', async (model, fields, type) => {
    const response = await gateway.speak(model, fields);
    expect(typeOf(response)).toBe(type);
    expect(response.headers.get('content-length')).toBe(model === 'typed' ? '5' : null);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(audio);
  });

  test.each([
    ['body-error', 502, 'upstream_error', 'GPU on fire'],
    ['page', 502, 'upstream_error', 'The upstream sent something other than audio.'],
    ['nothing', 502, 'upstream_error', 'The upstream sent no audio.'],
    ['refused', 429, 'rate_limit_exceeded', 'GPU on fire'],
    ['reset', 502, 'upstream_error', 'The upstream closed the connection without an answer.'],
  ])('invalid speech of the upstream %s is an error', async (model, ...error) => {
    expect(await errorOf(await gateway.speak(model))).toEqual(error);
  });

  test('speech fails over to another upstream before the first byte', async () => {
    for (const model of ['busy>bytes', 'reset>bytes', 'body-error>bytes', 'page>bytes', 'nothing>bytes']) {
      const response = await gateway.speak(model);
      expect([model, response.status, typeOf(response)]).toEqual([model, 200, 'audio/mpeg']);
      expect((await response.arrayBuffer()).byteLength).toBe(audio.length);
    }
  });

  test.each(['broken', 'cut', 'broken>bytes'])(
    'speech that is %s in the middle does not look like a complete file',
    async model => {
      hasHead = Promise.withResolvers();
      const response = await gateway.speak(model);
      hasHead.resolve();
      expect(response.status).toBe(200);
      await expect(response.arrayBuffer()).rejects.toThrow();
    },
  );

  test('speech that does not start in time is a timeout', async () => {
    const asked = nextRequest();
    const speaking = gateway.speak('silent');
    await asked;
    await time.pass(silentMs, 500);
    expect(await errorOf(await speaking)).toEqual([504, 'timeout', expect.anything()]);
  });

  test('speech as events passes byte for byte', async () => {
    const response = await gateway.speak('speech-events', { stream_format: 'sse' });
    const done = { type: 'speech.audio.done', usage: { input_tokens: 3, output_tokens: 9 } };
    expect(await response.text()).toBe(event(spoken) + event(done));
  });

  test.each([
    ['speech-cut', 'The upstream ended its answer too early.'],
    ['speech-error', 'GPU on fire'],
  ])('a speech event stream of the upstream %s ends with an error', async (model, message) => {
    const response = await gateway.speak(model, { stream_format: 'sse' });
    const [first, last] = (await response.text()).split('\n\n');
    expect(first).toBe(event(spoken).trim());
    expect(last).toMatch(/^event: error\ndata: /);
    expect(last).toMatch(message);
  });

  test('speech of an upstream without events is converted to events', async () => {
    const response = await gateway.speak('bytes', { stream_format: 'sse' });
    expect(typeOf(response)).toMatch('text/event-stream');
    const [first, last] = (await response.text())
      .split('\n\n')
      .map(text => text && JSON.parse(text.slice(6)));
    expect(first).toEqual({ type: 'speech.audio.delta', audio: audio.toString('base64') });
    expect(last.type).toBe('speech.audio.done');
  });

  test.each(['before it begins', 'in its middle'])(
    'speech is cancelled upstream when its client disconnects %s',
    async when => {
      const leave = new AbortController();
      const asked = nextRequest();
      const speaking = gateway.speak(
        when === 'in its middle' ? 'slow' : 'silent',
        {},
        { signal: leave.signal },
      );
      speaking.catch(() => {});
      const { response } = await asked;
      if (when === 'in its middle') await (await speaking).body?.getReader().read();
      const closed = once(response, 'close');
      leave.abort();
      await time.during(closed);
    },
  );
});

test('a client that does not read speech stops its upstream', async () => {
  const leave = new AbortController();
  const asked = nextRequest();
  const speaking = gateway.speak('endless', {}, { signal: leave.signal });
  const { response } = await asked;
  const { body } = await speaking;
  const taken = () => response.socket?.bytesWritten ?? 0;
  const before = await standstill(taken);
  expect(before).toBeLessThan(30_000_000);
  // The upstream continues as soon as the client reads.
  const reader = body?.getReader();
  for (let read = 0; read < before; ) read += (await reader?.read())?.value?.length ?? Number.NaN;
  expect(taken()).toBeGreaterThan(before);
  leave.abort();
  await reader?.closed.catch(() => {});
});

describe('a transcription of an upstream', () => {
  test.each([
    ['json', 'json', 'application/json', '{"text":"Hi","usage":{"type":"duration","seconds":2}}'],
    [
      'json',
      'verbose_json',
      'application/json',
      '{"text":"Hi","usage":{"type":"duration","seconds":2},"duration":2,"language":""}',
    ],
    ['json', 'text', 'text/plain; charset=utf-8', 'Hi'],
    ['json-text', 'text', 'text/plain; charset=utf-8', 'Hi'],
    ['plain', 'text', 'text/plain; charset=utf-8', '{"a":1} is said\n'],
    ['vtt', 'vtt', 'text/vtt', 'WEBVTT\n\n'],
    ['mislabelled', 'srt', 'text/plain; charset=utf-8', '1\n00:00:00,000 --> 00:00:01,500\nHello\n\n'],
  ])('a transcription of the upstream %s as %s has the type %s', async (model, format, type, body) => {
    const response = await gateway.transcribe(model, { response_format: format });
    expect([typeOf(response), await response.text()]).toEqual([type, body]);
  });

  test.each([
    ['body-error', 'json', 502, 'upstream_error', 'GPU on fire'],
    ['body-error', 'text', 502, 'upstream_error', 'GPU on fire'],
    ['other', 'json', 502, 'upstream_error', 'The upstream sent a malformed answer.'],
    ['plain', 'json', 502, 'upstream_error', 'The upstream sent a malformed answer.'],
    [
      'json',
      'srt',
      502,
      'upstream_error',
      'The upstream sent a transcript without times, of which srt cannot be made.',
    ],
    ['page', 'text', 502, 'upstream_error', 'The upstream sent a malformed answer.'],
    ['not-found', 'json', 404, 'boom', 'GPU on fire'],
  ])('a transcription of the upstream %s as %s is an error', async (model, format, ...error) => {
    expect(await errorOf(await gateway.transcribe(model, { response_format: format }))).toEqual(error);
  });

  test.each(Object.entries(goodStreams))(
    'a transcription stream of the upstream %s passes byte for byte',
    async (model, all) => {
      const response = await gateway.transcribe(model, { stream: 'true' });
      expect(await response.text()).toBe(written(all));
    },
  );

  test.each(['stream', 'stream-unmarked', 'stream-vllm', 'stream-speaches', 'stream-mistral'])(
    "a transcription stream of the upstream %s ends its client's loop",
    async model => {
      const { url, token } = gateway.stack;
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
      const file = new File(['RIFF'], 'a.wav');
      const stream = await client.audio.transcriptions.create({ model, file, stream: true });
      const events = await Array.fromAsync(stream);
      expect(events.map(({ type }) => type)).toEqual([delta.type, done.type]);
    },
  );

  test.each([
    ['stream-cut', /too early/],
    ['stream-error', /GPU on fire/],
    ['stream-nonsense', /malformed/],
  ])(
    'a transcription stream of the upstream %s ends with an error that clients see',
    async (model, message) => {
      const { url, token } = gateway.stack;
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
      const file = new File(['RIFF'], 'a.wav');
      const stream = await client.audio.transcriptions.create({ model, file, stream: true });
      const seen: string[] = [];
      const read = async () => {
        for await (const { type } of stream) seen.push(type);
      };
      await expect(read()).rejects.toThrow(message);
      expect(seen).toEqual(['transcript.text.delta']);
    },
  );

  test('a transcription stream that fails before its first event comes from another upstream', async () => {
    const response = await gateway.transcribe('stream-error-first>stream', { stream: 'true' });
    expect(await response.text()).toMatch('transcript.text.done');
    expect((await gateway.transcribe('stream-error-first', { stream: 'true' })).status).toBe(502);
  });

  test.each(['json', 'plain', 'vtt'])(
    'a non-streamed transcription of the upstream %s is sent as a stream on request',
    async model => {
      const format = { json: 'json', plain: 'text', vtt: 'vtt' }[model] as string;
      const response = await gateway.transcribe(model, { stream: 'true', response_format: format });
      expect(typeOf(response)).toMatch('text/event-stream');
      const told = (await response.text()).split('\n\n').map(text => text.slice(6));
      expect(told.slice(2)).toEqual(['[DONE]', '']);
      const [first, last] = told.slice(0, 2).map(text => JSON.parse(text));
      expect(first.delta).toBe(last.text);
      expect(last.usage).toEqual(model === 'json' ? { type: 'duration', seconds: 2 } : undefined);
    },
  );
});

const large = (bytes = 20_000_000) => new Blob([Buffer.alloc(bytes, 'x')]);

describe('an upload to an upstream', () => {
  test.each(['busy>keeps', 'reset>keeps', 'body-error>keeps'])(
    'an upload is sent again completely: %s',
    async model => {
      const response = await gateway.transcribe(model, { prompt: 'Hi' }, large(5_000_000));
      expect(await response.json()).toEqual({ text: 'kept' });
      const sent = bodies.keeps?.toString('latin1') ?? '';
      expect(sent).toMatch(/^--\S+\r\nContent-Disposition: form-data; name="model"\r\n\r\nup\r\n/);
      expect(sent.includes('x'.repeat(5_000_000))).toBe(true);
      expect(sent).toMatch(/name="prompt"\r\n\r\nHi\r\n/);
    },
  );

  test('an upload that its upstream refuses early is refused', async () => {
    expect(await errorOf(await gateway.transcribe('hasty', {}, large()))).toEqual([
      413,
      'request_too_large',
      'GPU on fire',
    ]);
  });

  test('an upload stops when its client disconnects', async () => {
    const leave = new AbortController();
    const asked = nextRequest();
    const asking = gateway.transcribe('deaf', {}, large(), { signal: leave.signal }).catch(() => {});
    const { request } = await asked;
    const closed = new Promise(resolve => request.on('close', resolve));
    leave.abort();
    // Only a reader sees the end.
    request.resume();
    await time.during(closed);
    expect(request.complete).toBe(false);
    await asking;
  });

  test('an upload that its client aborts reaches no upstream', async () => {
    let isAsked = false;
    void nextRequest().then(() => {
      isAsked = true;
    });
    const socket = beginUpload(gateway.stack.token);
    await expect.poll(openUploads).toHaveLength(1);
    socket.destroy();
    await expect.poll(gateway.stack.metrics).toMatch(/gateway_errors_total\{[^}]*kind="cancelled"/);
    await expect.poll(openUploads).toEqual([]);
    expect(isAsked).toBe(false);
  });

  test('an upload ends when its token is revoked', async () => {
    const { addToken } = gateway.stack;
    const secret = await addToken({ id: 'uploader' });
    const socket = beginUpload(secret).setEncoding('utf8');
    await expect.poll(openUploads).toHaveLength(1);
    const told = once(socket, 'data');
    await addToken({ id: 'uploader', revoked: true }, secret);
    const [answer] = await told;
    expect(answer).toMatch(/^HTTP\/1.1 401 .*This API key was revoked/s);
    await expect.poll(openUploads).toEqual([]);
    socket.destroy();
  });
});

test('a slow request body also ends when its token is revoked', async () => {
  const { addToken, metrics, url } = gateway.stack;
  const secret = await addToken({ id: 'slow' });
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  const body = JSON.stringify({ model: 'bytes', input: 'Hi', voice: 'alloy' });
  const headers = ['host: x', `authorization: Bearer ${secret}`, `content-length: ${body.length}`];
  socket.write(`POST /v1/audio/speech HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body.slice(0, 9)}`);
  await expect.poll(metrics).toMatch(/gateway_requests_running(\{.*\})? 1\n/);
  await addToken({ id: 'slow', revoked: true }, secret);
  socket.write(body.slice(9));
  expect((await once(socket, 'data'))[0]).toMatch(/^HTTP\/1.1 401 /);
  socket.destroy();
});

/** Two thirds of an upload of 3 MB. */
function beginUpload(token: string): Socket {
  const socket = connect(Number(new URL(gateway.stack.url).port), '127.0.0.1');
  const head = [
    'POST /v1/audio/transcriptions HTTP/1.1',
    'host: x',
    `authorization: Bearer ${token}`,
    'content-type: multipart/form-data; boundary=x',
    'content-length: 3000000',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write('--x\r\nContent-Disposition: form-data; name="model"\r\n\r\ndeaf\r\n');
  socket.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n');
  socket.write(Buffer.alloc(2_000_000));
  return socket;
}
