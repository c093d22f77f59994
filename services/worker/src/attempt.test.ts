import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AnnouncedAttempt } from '@model-gateway/bus';
import type { GatewayError, GenerateEvent, GenerateRequest, UsageRecord } from '@model-gateway/canonical';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';
import { messagesDialect } from './dialects/messages/dialect.ts';

const event = (value: { type: string } & Record<string, unknown>) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const start = event({ type: 'message_start', message: { id: 'm', model: 'm', usage: {} } });
const text =
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } });
const ping = event({ type: 'ping' });
const reason = event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} });
const stop = event({ type: 'message_stop' });
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

let asked = 0;
let mediaType = 'text/event-stream';
let respond: (response: ServerResponse) => void | Promise<void>;
const server = createServer((request, response) => {
  asked++;
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': mediaType });
    void respond(response);
  });
});
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
const dispatcher = new Agent();
afterAll(async () => {
  await dispatcher.destroy();
  server.closeAllConnections();
  server.close();
});

interface Asked {
  events: GenerateEvent[];
  error: GatewayError | undefined;
  announced: AnnouncedAttempt[];
  records: UsageRecord[];
}

const headers = { 'x-api-key': 'top-secret-key-1234' };
const hello: GenerateRequest = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] };

/** Asks the server on behalf of a client of another format. */
async function ask(
  answer: typeof respond,
  request = hello,
  timeouts = {},
  signal = new AbortController().signal,
  stream = true,
): Promise<Asked> {
  respond = answer;
  const events: GenerateEvent[] = [];
  const announced: AnnouncedAttempt[] = [];
  const records: UsageRecord[] = [];
  const envelope = {
    requestId: 'r',
    operation: 'generate',
    format: 'chat',
    model: 'm',
    stream,
    textLength: 0,
    targets: [],
    token: { id: 't', project: 'p' },
    headers: {},
  } as const;
  const call = {
    envelope: { ...envelope, targets: [] },
    signal,
    drained: Promise.resolve(),
    send: (sent: readonly GenerateEvent[]) => events.push(...sent) > 0,
    announce: (attempt: AnnouncedAttempt) => void announced.push(attempt),
  };
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const error = await attempt(dispatcher, {
    call,
    upstream: {
      provider: 'p',
      dialect: messagesDialect,
      origin,
      path: '',
      headers,
      original: true,
      batch: 1,
    },
    input: { envelope: call.envelope, request, model: 'm', drop: [], limits: {} },
    timeouts: { firstToken: 5_000, idle: 5_000, total: 10_000, ...timeouts },
    usage: { add: record => void records.push(record) },
  });
  return { events, error, announced, records };
}

test('an answer that lacks only its end mark is not waited for (pitfall 22)', async () => {
  const began = Date.now();
  const { events } = await ask(response => void response.write(start + reason));
  expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  expect(Date.now() - began).toBeLessThan(4_000);
});

test('nor is it lost with its connection', async () => {
  const { events } = await ask(async response => {
    response.write(start + reason);
    await pause(50);
    response.destroy();
  });
  expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
});

test('an answer that failed before any of it was shown may come from another upstream', async () => {
  const failure = event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
  const { events, error } = await ask(async response => {
    response.write(start);
    await pause(50);
    response.end(failure);
  });
  expect(error).toMatchObject({ kind: 'overloaded' });
  expect(events).toEqual([]);
});

test('an answer that breaks off before its end is an error', async () => {
  const { events } = await ask(async response => {
    response.write(start + text);
    await pause(50);
    response.destroy();
  });
  expect(events.map(({ type }) => type)).toEqual(['start', 'part-start', 'part-delta', 'error']);
});

describe('a whole answer that is translated', () => {
  const whole = (answer: typeof respond, timeouts = {}, signal = new AbortController().signal) =>
    ask(answer, hello, timeouts, signal, false);

  test('is shown at once, when all of it is here', async () => {
    const { events, records } = await whole(async response => {
      response.write(start + text);
      await pause(50);
      response.write(text.replace('Hi', ' there').replace(/^.*?\n\n/s, ''));
      await pause(50);
      response.end(reason + stop);
    });
    expect(events.map(({ type }) => type)).toEqual([
      'start',
      'part-start',
      'part-delta',
      'part-end',
      'finish',
    ]);
    expect(events[2]).toMatchObject({ text: 'Hi there' });
    expect(records).toMatchObject([{ outcome: 'answered', charged: true }]);
  });

  test.each<[string, typeof respond]>([
    [
      'with its connection',
      async response => {
        response.write(start + text);
        await pause(50);
        response.destroy();
      },
    ],
    ['without its end', response => void response.end(start + text)],
    ['without a reason', response => void response.end(start + text + stop)],
    [
      'by an error',
      response =>
        void response.end(
          start + text + event({ type: 'error', error: { type: 'api_error', message: 'No' } }),
        ),
    ],
    ['by nonsense', response => void response.end(`${start}${text}data: {\n\n`)],
  ])('and breaks off %s may come from another upstream', async (_, answer) => {
    const { events, error, records } = await whole(answer);
    expect(error).toMatchObject({ kind: 'upstream' });
    expect(events).toEqual([]);
    expect(records).toMatchObject([{ outcome: 'failed', error: 'upstream', charged: false }]);
  });

  test('and falls silent, too', async () => {
    const { events, error } = await whole(response => void response.write(start + text), { idle: 100 });
    expect(error).toMatchObject({ kind: 'timeout' });
    expect(events).toEqual([]);
  });

  test('and is too large is not kept for long', async () => {
    const much = event({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'x'.repeat(1 << 20) },
    });
    const { events, error } = await whole(async response => {
      response.write(start + text);
      for (let i = 0; i < 66 && !response.destroyed; i++) if (!response.write(much)) await pause(1);
    });
    expect(error).toMatchObject({ kind: 'upstream', message: expect.stringContaining('too large') });
    expect(events).toEqual([]);
  });

  test('and that nobody waits for is recorded as cancelled', async () => {
    const abort = new AbortController();
    const { events, records } = await whole(
      async response => {
        response.write(start + text);
        await pause(50);
        abort.abort();
      },
      {},
      abort.signal,
    );
    expect(events).toEqual([]);
    expect(records).toMatchObject([{ outcome: 'cancelled', charged: false }]);
  });
});

test('an error in the middle of an answer shows no secret', async () => {
  const message = 'Key top-secret-key-1234 was refused by http://10.0.0.7:8000/v1.';
  const { events } = await ask(
    response =>
      void response.end(start + text + event({ type: 'error', error: { type: 'api_error', message } })),
  );
  expect(events.at(-1)).toMatchObject({
    type: 'error',
    message: 'Key [redacted] was refused by [redacted].',
  });
});

test('a translated answer keeps to the timers of a stream, and pings show that it goes on', async () => {
  const slow = async (response: ServerResponse) => {
    response.write(start + text);
    for (let i = 0; i < 8; i++) {
      await pause(100);
      response.write(ping);
    }
    response.end(reason + stop);
  };
  const { events } = await ask(slow, hello, { firstToken: 500, idle: 500 });
  expect(events.at(-1)).toMatchObject({ type: 'finish' });
  const silent = await ask(response => void response.write(start + text), hello, { idle: 500 });
  expect(silent.events.at(-1)).toMatchObject({ type: 'error', kind: 'timeout' });
});

test('a request that cannot be said is refused without being sent', async () => {
  const before = asked;
  const { error, events } = await ask(() => {}, { ...hello, n: 2 });
  expect(error).toMatchObject({ kind: 'invalid-request', details: { param: 'n', notRepresentable: true } });
  expect(events).toEqual([]);
  expect(asked).toBe(before);
});

describe('the ledger', () => {
  const told = event({
    type: 'message_start',
    message: { id: 'm', model: 'm', usage: { input_tokens: 50, output_tokens: 1 } },
  });
  const sum = event({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: { input_tokens: 50, output_tokens: 20 },
  });

  const long = event({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: 'x'.repeat(398) },
  });

  test('has an answer once, with what was used, under the id that was announced', async () => {
    const { announced, records } = await ask(response => void response.end(told + text + sum + stop));
    expect(announced).toEqual([{ id: records[0]?.id, provider: 'p', model: 'm' }]);
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/),
      requestId: 'r',
      outcome: 'answered',
      charged: true,
      usage: { input: 50, output: 20 },
      tokenId: 't',
      project: 'p',
      upstreamModel: 'm',
    });
    expect(records[0]).not.toHaveProperty('estimated');
  });

  test('has a failure of which nothing was shown, uncharged', async () => {
    const { records } = await ask(response => void response.destroy());
    expect(records).toMatchObject([{ outcome: 'failed', error: 'upstream', charged: false, usage: null }]);
  });

  test('has an answer that broke off, with what was told and a guess at the rest', async () => {
    const { records } = await ask(async response => {
      response.write(told + text);
      await pause(50);
      response.destroy();
    });
    const usage = { input: 50, output: 1 };
    expect(records).toMatchObject([{ outcome: 'failed', error: 'upstream', charged: true, usage }]);
  });

  test('has a guess where more came than was told at the beginning', async () => {
    const { records } = await ask(async response => {
      response.write(told + text + long);
      await pause(50);
      response.destroy();
    });
    const usage = { input: 50, output: 100 };
    expect(records).toMatchObject([{ outcome: 'failed', charged: true, estimated: true, usage }]);
  });

  test('has a guess where the upstream told nothing', async () => {
    const { records } = await ask(response => void response.end(start + text + long + reason + stop));
    expect(records).toMatchObject([{ outcome: 'answered', estimated: true, usage: { output: 100 } }]);
  });

  test('has an answer that nobody waited for, once', async () => {
    const abort = new AbortController();
    const { records } = await ask(
      async response => {
        response.write(told + text);
        await pause(50);
        abort.abort();
      },
      hello,
      {},
      abort.signal,
    );
    expect(records).toMatchObject([{ outcome: 'cancelled', charged: true, usage: { input: 50 } }]);
  });

  test('has nothing of a request that was never sent', async () => {
    const { announced, records } = await ask(() => {}, { ...hello, n: 2 });
    expect([announced, records]).toEqual([[], []]);
  });
});

describe('a body where a stream was asked for', () => {
  beforeAll(() => {
    mediaType = 'application/json';
  });
  afterAll(() => {
    mediaType = 'text/event-stream';
  });
  const whole = {
    id: 'msg_1',
    type: 'message',
    model: 'm',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  };

  test('that is a whole answer is the answer', async () => {
    const { events } = await ask(async response => {
      const text = JSON.stringify(whole);
      response.write(text.slice(0, 40));
      await pause(50);
      response.end(text.slice(40));
    });
    expect(events.map(({ type }) => type)).toEqual([
      'start',
      'part-start',
      'part-delta',
      'part-end',
      'finish',
    ]);
    expect(events.at(-1)).toMatchObject({ reason: 'stop', usage: { input: 1, output: 1 } });
  });

  test.each([
    ['an error', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
    ['half an answer', { ...whole, content: undefined }, 'upstream'],
    ['no object', 'Hello', 'upstream'],
  ])('that is %s is a refusal', async (_, body, kind) => {
    const { events, error } = await ask(response => void response.end(JSON.stringify(body)));
    expect(error).toMatchObject({ kind });
    expect(events).toEqual([]);
  });
});
