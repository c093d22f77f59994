import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { passed } from '@model-gateway/canonical/testing/events';
import { ManualClock } from '@model-gateway/clock/testing';
import { chatDialect, speechDialect } from '@model-gateway/formats/testing/dialects';
import { afterAll, describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';
import { Decoding } from './decoding.ts';
import { startUpstream } from './testing/attempts.ts';
import { UpstreamConnections } from './upstream-connections.ts';

let respond: (response: ServerResponse) => void | Promise<void>;
let asked: OutgoingHttpHeaders = {};
const clock = new ManualClock();
const { dispatcher, attemptOf } = await startUpstream((request, response) => {
  asked = request.headers;
  request.resume().on('end', () => void respond(response));
});
const decoding = new Decoding(clock);
const connections = new UpstreamConnections({}, clock);
afterAll(async () => {
  decoding.stop();
  await connections.destroy();
});

const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
const done = 'data: [DONE]\n\n';
const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } })}\n\n`;
const stream = chunk({ content: 'Hi' }) + chunk({}, 'stop') + usage + done;
const body = JSON.stringify({
  ...{ id: 'c', object: 'chat.completion', model: 'm', usage: { prompt_tokens: 3, completion_tokens: 2 } },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
});

type Way = 'translated' | 'passed on' | 'whole';
const streamed: Way[] = ['translated', 'passed on'];

/** Makes one attempt: for a client of another format, or of the same, whose answer streams or is whole. */
async function ask(answer: typeof respond, way: Way, through: Parameters<typeof attempt>[0] = dispatcher) {
  respond = answer;
  const text = Buffer.from('{"stream_options":{"include_usage":true}}');
  const made = attemptOf(testEnvelope({ stream: way !== 'whole' }), {
    upstream: { dialect: chatDialect },
    input:
      way === 'translated' ? { body: 'canonical', request: { messages: [] } } : { body: 'verbatim', text },
    clock,
  });
  const error = await attempt(through, { ...made.options, decoding });
  return { ...made, error, text: textOf(made.events) };
}

function textOf(events: readonly GenerateEvent[]): string {
  const parts = events.flatMap(event => (event.type === 'part-delta' ? [event.text] : []));
  const sent = passed(events);
  const found = [...sent.matchAll(/"content":"(.*?)"/g)].map(([, text]) => text);
  return [...parts, ...found].join('');
}

const sends =
  (bytes: string | Buffer, headers: OutgoingHttpHeaders = {}, status = 200) =>
  (response: ServerResponse) => {
    response.writeHead(status, headers);
    response.end(bytes);
  };
const isAnswered = { outcome: 'answered', usage: { input: 3, output: 2 } };

const encodings: [string, (text: string) => Buffer][] = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
];

describe('compressed bodies', () => {
  test.each(encodings)('a stream and a whole answer in %s are read', async (encoding, compress) => {
    const events = { 'content-type': 'text/event-stream', 'content-encoding': encoding };
    for (const way of streamed) {
      const { text, records } = await ask(sends(compress(stream), events), way);
      expect(text).toBe('Hi');
      expect(records).toMatchObject([isAnswered]);
    }
    const json = { 'content-type': 'application/json', 'content-encoding': encoding };
    const { events: whole, records } = await ask(sends(compress(body), json), 'whole');
    expect(whole[0]).toMatchObject({ bytes: Buffer.from(body), whole: { length: body.length } });
    expect(records).toMatchObject([isAnswered]);
  });

  test('no compression is asked for', async () => {
    await ask(sends(body, { 'content-type': 'application/json' }), 'whole');
    expect(asked['accept-encoding']).toBe('identity');
  });

  test('the pieces of a compressed stream are passed on as they come', async () => {
    const head = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };
    const { createGzip } = await import('node:zlib');
    const { text } = await ask(response => {
      response.writeHead(200, head);
      const gzip = createGzip();
      gzip.pipe(response);
      gzip.write(chunk({ content: 'H' }));
      gzip.flush(() => {
        gzip.write(chunk({ content: 'i' }) + chunk({}, 'stop'));
        gzip.end(usage + done);
      });
    }, 'translated');
    expect(text).toBe('Hi');
  });

  test('a compressed error is read', async () => {
    const error = JSON.stringify({ error: { message: 'Slow down.', type: 'rate_limit' } });
    const head = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    for (const way of [...streamed, 'whole'] as const) {
      const { error: failure } = await ask(sends(gzipSync(error), head, 429), way);
      expect(failure).toMatchObject({ kind: 'rate-limited', message: 'Slow down.' });
    }
  });

  test.each([
    ['a body that is plain', Buffer.from(stream), undefined],
    ['a body that is broken', gzipSync(stream).fill(255, 20, 40), 'upstream'],
    ['a body that is cut off', gzipSync(chunk({ content: 'Hi' })).subarray(0, -8), 'upstream'],
  ])('%s though its label says gzip is read as far as it goes', async (_what, bytes, kind) => {
    const head = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };
    const { error, events } = await ask(sends(bytes, head), 'translated');
    const last = error ?? events.at(-1);
    expect(last).toMatchObject(kind ? { kind } : { type: 'finish' });
  });
});

describe('wrong labels', () => {
  const labels = [
    'application/json',
    'text/plain; charset=utf-8',
    'application/octet-stream',
    'TEXT/EVENT-STREAM',
    undefined,
  ];

  test.each(labels)('events with the type %j are read', async type => {
    const head = type ? { 'content-type': type } : {};
    for (const way of streamed) {
      for (const sent of [stream, `\ufeff${stream}`, `\n\n${stream}`, `: hi\n\n${stream}`]) {
        const { text, records } = await ask(sends(sent, head), way);
        expect(text).toBe('Hi');
        expect(records).toMatchObject([isAnswered]);
      }
    }
  });

  test('events that begin byte by byte are read', async () => {
    const { text } = await ask(async response => {
      response.writeHead(200);
      for (const byte of Buffer.from('\ufeff\ndata')) {
        const before = dispatcher.read;
        response.write(Buffer.of(byte));
        await dispatcher.hasRead(before + 1);
      }
      response.end(stream.slice(4));
    }, 'translated');
    expect(text).toBe('Hi');
  });

  test.each(['text/event-stream', 'text/plain', undefined])('JSON with the type %j is read', async type => {
    const head = type ? { 'content-type': type } : {};
    for (const sent of [body, `\ufeff${body}`, `\n \n${body}`]) {
      for (const way of [...streamed, 'whole'] as const) {
        const { text, records } = await ask(sends(sent, head), way);
        expect(text).toBe('Hi');
        expect(records).toMatchObject([isAnswered]);
      }
    }
  });

  test.each(['text/event-stream', 'application/json', undefined])(
    'events with the type %j in place of a whole answer are collected',
    async type => {
      const { events, records } = await ask(sends(stream, type ? { 'content-type': type } : {}), 'whole');
      expect(events.map(event => event.type)).toEqual([
        'start',
        'part-start',
        'part-delta',
        'part-end',
        'finish',
      ]);
      expect(records).toMatchObject([isAnswered]);
    },
  );

  test.each([
    ['that are cut off', chunk({ content: 'Hi' }), 'The upstream ended its answer too early.'],
    [
      'with log probabilities, which would be lost',
      chunk({ content: 'Hi' }).replace('"index":0', '"index":0,"logprobs":{"content":[{"token":"Hi"}]}') +
        done,
      'The upstream sent a stream instead of a complete response.',
    ],
    ['with an error', 'data: {"error":{"message":"Boom."}}\n\n', 'Boom.'],
  ])('events %s in place of a whole answer are an error', async (_what, sent, message) => {
    const { error, events } = await ask(sends(sent, { 'content-type': 'text/event-stream' }), 'whole');
    expect([error?.message, events]).toEqual([message, []]);
  });

  test.each(['', '\n\n', '<html>Sorry</html>', 'Sorry', 'data'])('the body %j is no answer', async sent => {
    for (const type of ['text/event-stream', 'application/json', 'text/html'])
      for (const way of [...streamed, 'whole'] as const) {
        const { error, events } = await ask(sends(sent, { 'content-type': type }), way);
        expect(error).toMatchObject({ kind: 'upstream' });
        expect(events).toEqual([]);
      }
  });

  test('an error labelled as events is read', async () => {
    const error = JSON.stringify({ error: { message: 'Slow down.', code: 429 } });
    for (const way of streamed) {
      const failed = await ask(sends(error, { 'content-type': 'text/event-stream' }), way);
      expect(failed.error).toMatchObject({ kind: 'rate-limited', message: 'Slow down.' });
    }
  });

  test('audio that begins as events do stays audio', async () => {
    const audio = Buffer.from('data: these are samples');
    respond = sends(audio, { 'content-type': 'audio/pcm' });
    const { options, events } = attemptOf(
      testEnvelope({ operation: 'speech', format: 'speech', stream: false, bytes: true }),
      {
        upstream: { dialect: speechDialect as never },
        input: { body: 'verbatim', text: Buffer.from('{"input":"Hi"}') },
        clock,
      },
    );
    expect(await attempt(dispatcher, options)).toBeUndefined();
    expect(passed(events)).toBe(audio.toString());
  });
});

test('headers of 100 KB before an answer are read', async () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`x-filter-${i}`, 'x'.repeat(2_000)]));
  const { text } = await ask(
    sends(stream, { 'content-type': 'text/event-stream', ...many }),
    'passed on',
    connections.usual,
  );
  expect(text).toBe('Hi');
});

describe('the wait for the end', () => {
  /** Writes parts, and lets time pass before each but the first. */
  const paced =
    (ms: number, ...parts: string[]) =>
    async (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const [at, part] of parts.entries()) {
        if (at > 0) await clock.advance(ms);
        const before = dispatcher.read;
        response.write(part);
        await dispatcher.hasRead(before + part.length);
      }
    };

  test.each([
    [
      'a reason in each chunk',
      9_000,
      [chunk({ content: 'H' }, 'stop'), chunk({ content: 'i' }, 'stop') + usage + done],
    ],
    [
      'a reason in each chunk, and a long pause',
      50_000,
      [
        chunk({ content: 'H' }, 'stop') +
          chunk({ content: '' }, 'stop') +
          chunk({ content: '' }) +
          chunk({ content: 'i' }, 'stop'),
        chunk({}, 'stop') + usage + done,
      ],
    ],
    ['its usage late', 9_000, [chunk({ content: 'Hi' }) + chunk({}, 'stop'), usage + done]],
    ['a reason before its text', 9_000, [chunk({ role: 'assistant', content: '' }, 'stop'), stream]],
  ])('a stream with %s is read to its end', async (_what, ms, parts) => {
    for (const way of streamed) {
      const { text, records } = await ask(paced(ms, ...parts), way);
      expect(text).toBe('Hi');
      expect(records).toMatchObject([isAnswered]);
    }
  });

  test.each([
    ['2 s after its usage', 2_000, chunk({ content: 'Hi' }) + chunk({}, 'stop') + usage],
    ['10 s after a reason alone', 10_000, chunk({ content: 'Hi' }) + chunk({}, 'stop')],
    ['10 s after a reason with text', 10_000, chunk({ content: 'Hi' }, 'stop')],
    ['2 s after a mark without line ends', 2_000, `${stream.slice(0, -2)}`],
  ])('a stream that stays open ends %s', async (_what, ms, sent) => {
    for (const way of streamed) {
      const { text, events } = await ask(paced(ms, sent, ''), way);
      expect(text).toBe('Hi');
      expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
    }
  });

  test('a stream that stops though its text went on after a reason is cut off', async () => {
    const sent = chunk({ content: 'H' }, 'stop') + chunk({ content: 'i' }, 'stop');
    for (const way of streamed) {
      const { events } = await ask(paced(60_000, sent, ''), way);
      expect(events.at(-1)).toMatchObject({ type: 'error', kind: 'timeout' });
    }
  });
});
