import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Faults } from '@model-gateway/bus';
import { GatewayError, type GenerateEvent } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { type AnswerRenderer, RenderedPieces, type Renderer } from '@model-gateway/formats/client';
import { KnownFields } from '@model-gateway/json';
import { afterEach, expect, test, vi } from 'vitest';
import { Answer } from './answer.ts';
import type { Endpoint } from './endpoint.ts';
import { OpenAnswers } from './response-sink.ts';

const endpoint: Endpoint = {
  method: 'POST',
  path: '/',
  format: 'messages',
  fields: new KnownFields([]),
  render: () => render,
  parse: () => {
    throw new Error('nothing is parsed here');
  },
  renderError: () => ({ status: 500, body: {} }),
  renderErrorEvent: () => 'error\n',
  ping: 'before\n',
  pingWithin: 'within\n',
};
const quiet = new Set(['part-delta', 'verbatim']);
const render: AnswerRenderer = {
  type: 'answer',
  whole: () => ({}),
  stream: () => ({ add: ({ type }: GenerateEvent) => (quiet.has(type) ? '' : `${type}\n`) }),
};

const clock = new ManualClock();
const open = new OpenAnswers(clock, new Faults());
let server: Server | undefined;
afterEach(() => server?.close());

/** Returns the bytes that a client reads of a response written by `write`. */
async function read(
  write: (answer: Answer, silence: () => Promise<void>) => Promise<void>,
  consumed: (bytes: number) => void = () => {},
  renderer: Renderer = render,
  stream = true,
) {
  server = createServer((_request, response) => {
    const options = {
      endpoint,
      open,
      renderer: () => renderer,
      requestId: 'req_1',
      stream,
      consumed,
      source: {
        renderError: (error: GatewayError) => endpoint.renderError(error, 'req_1', {} as IncomingMessage),
      },
      ended() {},
    };
    const answer = new Answer(response, options);
    void write(answer, async () => {
      // While bytes wait to be sent, no keep-alive is due.
      await vi.waitFor(() => expect(response.writableLength).toBe(0), { interval: 5 });
      await clock.advance(11_000);
    });
  });
  await new Promise<void>(resolve => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return (await fetch(`http://127.0.0.1:${port}/`)).text();
}

const start: GenerateEvent = { type: 'start', id: '', model: '' };
const finish: GenerateEvent = { type: 'finish', reason: 'stop', raw: null, usage: null };

test('a silent stream sends keep-alives, of another kind once the response has begun', async () => {
  const text = await read(async (answer, silence) => {
    await silence();
    answer.write([start], 0);
    await silence();
    answer.write([finish], 0);
  });
  expect(text).toBe('before\nstart\nwithin\nfinish\n');
});

test('verbatim bytes begin the response, too; no keep-alive is written inside an event', async () => {
  const text = await read(async (answer, silence) => {
    answer.write([{ type: 'verbatim', bytes: Buffer.from('a\n') }], 0);
    await silence();
    answer.write([{ type: 'verbatim', bytes: Buffer.from('b'), partial: true }], 0);
    await silence();
    answer.write([{ type: 'verbatim', bytes: Buffer.from('\n') }], 0);
    answer.write([finish], 0);
  });
  expect(text).toBe('a\nwithin\nb\n');
});

test('the weight of an event is returned as credit even if nothing is written for it', async () => {
  const taken: number[] = [];
  const held: GenerateEvent = { type: 'part-delta', index: 1, text: 'x'.repeat(100) };
  const text = await read(
    async answer => {
      answer.write([held], 140);
      answer.write([finish], 0);
    },
    bytes => taken.push(bytes),
  );
  expect(text).toBe('finish\n');
  expect(taken[0]).toBeGreaterThanOrEqual(100);
});

test('a format that numbers its events writes its own keep-alives and errors, also in verbatim streams', async () => {
  const stream = () => {
    let seen = 0;
    return {
      add: ({ type }: GenerateEvent) => `${seen++}${type === 'verbatim' ? '' : type}\n`,
      ping: (silentMs: number) => (silentMs >= 10_000 ? `ping after ${seen}\n` : ''),
      fail: ({ message }: GatewayError) => `${message} after ${seen}\n`,
    };
  };
  const cut = new GatewayError('upstream', 'cut');
  const counted = { ...render, stream };
  const translated = await read(
    async (answer, silence) => {
      answer.write([start], 0);
      await silence();
      answer.fail(cut);
    },
    undefined,
    counted,
  );
  expect(translated).toBe('0start\nping after 1\ncut after 1\n');
  const passedOn = await read(
    async answer => {
      answer.write([{ type: 'verbatim', bytes: Buffer.from('own\n') }], 0);
      answer.fail(cut);
    },
    undefined,
    counted,
  );
  expect(passedOn).toBe('own\ncut after 1\n');
});

test('a body in pieces is the same JSON as in one piece, and is complete before the response ends', async () => {
  const items = Array.from({ length: 3_000 }, (_, i) => ({ i, text: 'x'.repeat(500) }));
  const result = () =>
    new RenderedPieces({ list: 'a', none: [].values(), data: items.values(), few: [1, 2], last: null });
  const text = await read(
    async answer => {
      answer.write([{ type: 'result', result: { type: 'embeddings', model: '', vectors: [] } }], 0);
      answer.write([finish], 0);
    },
    () => {},
    { type: 'result', result },
    false,
  );
  expect(JSON.parse(text)).toEqual({ list: 'a', none: [], data: items, few: [1, 2], last: null });
});
