import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Envelope, type GenerateEvent, type GenerateRequest, givenUp } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { ManualClock } from '@model-gateway/clock/testing';
import { messagesDialect } from '@model-gateway/formats/testing/dialects';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { attempt } from './attempt.ts';
import { startUpstream } from './testing/attempts.ts';

const event = (value: { type: string } & Record<string, unknown>) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const start = event({ type: 'message_start', message: { id: 'm', model: 'm', usage: {} } });
const text =
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } });
const ping = event({ type: 'ping' });
const reason = event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} });
const stop = event({ type: 'message_stop' });

let requestCount = 0;
/** The events of the last call so far. */
let delivered: GenerateEvent[] = [];
let mediaType = 'text/event-stream';
let respond: (response: ServerResponse) => void | Promise<void>;
const { dispatcher, attemptOf } = await startUpstream((request, response) => {
  requestCount++;
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': mediaType });
    void respond(response);
  });
});
const clock = new ManualClock();

/** Writes a part of the answer, and waits until the attempt has read it. */
async function writePart(response: ServerResponse, part: string): Promise<void> {
  const before = dispatcher.read;
  response.write(part);
  await dispatcher.hasRead(before + Buffer.byteLength(part));
}

const headers = { 'x-api-key': 'top-secret-key-1234' };
const hello: GenerateRequest = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] };

/** Runs one attempt for a client of another format. */
async function ask(
  answer: typeof respond,
  request = hello,
  timeouts = {},
  signal = new AbortController().signal,
  stream = true,
  envelope: Partial<Envelope> = {},
) {
  respond = answer;
  const { options, ...seen } = attemptOf(testEnvelope({ requestId: 'r', stream, ...envelope }), {
    signal,
    upstream: { dialect: messagesDialect, headers },
    input: { body: 'canonical', request },
    timeouts: { firstToken: 60_000, idle: 60_000, total: 120_000, ...timeouts },
    clock,
  });
  delivered = seen.events;
  return { ...seen, error: await attempt(dispatcher, options) };
}

test('an answer that lacks only its end marker is completed after a short wait (pitfall 22)', async () => {
  const { events } = await ask(async response => {
    await writePart(response, start + reason);
    expect(delivered.map(({ type }) => type)).not.toContain('finish');
    await clock.advance(2_000);
  });
  expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
});

test('comments of an upstream restart the first-token timeout', async () => {
  const { events } = await ask(
    async response => {
      for (let comments = 0; comments < 14; comments++) {
        await writePart(response, ': ping\n\n');
        await clock.advance(500);
      }
      response.end(start + text + reason + stop);
    },
    hello,
    { firstToken: 6_000 },
  );
  expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
});

test('a connection that the upstream closes without an answer is told from one that was never open', async () => {
  const { error, records } = await ask(response => void response.destroy());
  expect(error?.message).toBe('The upstream closed the connection without an answer.');
  expect(records).toMatchObject([{ outcome: 'failed', error: 'upstream', charged: false, usage: null }]);
});

test('an answer that lacks only its end marker survives a lost connection', async () => {
  const { events } = await ask(async response => {
    await writePart(response, start + reason);
    response.destroy();
  });
  expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
});

describe('translated whole answers', () => {
  const whole = (answer: typeof respond, signal?: AbortSignal) => ask(answer, hello, {}, signal, false);

  test('a translated whole answer is sent once it is complete', async () => {
    const { events, records } = await whole(async response => {
      await writePart(response, start + text);
      await writePart(response, text.replace('Hi', ' there').replace(/^.*?\n\n/s, ''));
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

  test.each([
    ['a missing end', start + text],
    ['a missing stop reason', start + text + stop],
    ['invalid JSON', `${start}${text}data: {\n\n`],
  ])('a translated whole answer cut off by %s can be retried at another upstream', async (_, answer) => {
    const { events, error, records } = await whole(response => void response.end(answer));
    expect(error).toMatchObject({ kind: 'upstream' });
    expect(events).toEqual([]);
    expect(records).toMatchObject([
      { outcome: 'failed', error: 'upstream', charged: false, estimated: true },
    ]);
    expect(records[0]?.usage).toMatchObject({ input: expect.any(Number), output: 1 });
  });

  test('a translated whole answer that is too large is an error', async () => {
    const much = event({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'x'.repeat(1 << 20) },
    });
    const { events, error } = await whole(async response => {
      response.write(start + text);
      const closed = once(response, 'close');
      for (let i = 0; i < 66 && !response.destroyed; i++)
        if (!response.write(much)) await Promise.race([once(response, 'drain'), closed]);
    });
    expect(error).toMatchObject({ kind: 'upstream', message: expect.stringContaining('too large') });
    expect(events).toEqual([]);
  });

  test('a stream of which a part was sent is not charged if it breaks off and the request is made again', async () => {
    for (const repeats of [undefined, true] as const) {
      const { records } = await ask(
        async response => {
          await writePart(response, start + text);
          response.destroy();
        },
        hello,
        {},
        undefined,
        true,
        repeats && { repeats },
      );
      expect(records).toMatchObject([{ outcome: 'failed', charged: !repeats, estimated: true }]);
    }
  });

  test.each([
    ['with text', true, 900],
    ['without text', false, 500],
  ])(
    'a stream %s that the client leaves has an estimate of what it did not show',
    async (_, begun, output) => {
      const abort = new AbortController();
      const estimate = { input: 7, hidden: 899 };
      const answer = async (response: ServerResponse) => {
        response.flushHeaders();
        if (begun) await writePart(response, start + text);
        await clock.advance(500);
        abort.abort();
      };
      const { records } = await ask(answer, hello, {}, abort.signal, true, { estimate });
      expect(records).toMatchObject([
        { outcome: 'cancelled', charged: true, estimated: true, usage: { output } },
      ]);
    },
  );

  test.each([
    ['whose client leaves is charged', undefined, true],
    ['that the gateway gives up is not charged', givenUp(), false],
  ])('a translated whole answer %s, by an estimate of what was used', async (_, reason, charged) => {
    const abort = new AbortController();
    const { events, records } = await whole(async response => {
      await writePart(response, start + text);
      abort.abort(reason);
    }, abort.signal);
    expect(events).toEqual([]);
    expect(records).toMatchObject([{ outcome: 'cancelled', charged, estimated: true, usage: { output: 1 } }]);
    expect(records[0]).not.toHaveProperty('firstMs');
    expect(records[0]?.usage?.input).toBeGreaterThan(2);
  });
});

test('an error in the middle of an answer is redacted', async () => {
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

test("a translated answer has a stream's timeouts, and pings reset the idle timeout", async () => {
  const slow = async (response: ServerResponse) => {
    await writePart(response, start + text);
    for (let i = 0; i < 14; i++) {
      await clock.advance(500);
      await writePart(response, ping);
    }
    response.end(reason + stop);
  };
  const { events } = await ask(slow, hello, { firstToken: 6_000, idle: 6_000 });
  expect(events.at(-1)).toMatchObject({ type: 'finish' });
  const fallSilent = async (response: ServerResponse) => {
    await writePart(response, start + text);
    await clock.advance(500);
  };
  const silent = await ask(fallSilent, hello, { idle: 500 });
  expect(silent.events.at(-1)).toMatchObject({ type: 'error', kind: 'timeout' });
});

test('a request that the format cannot carry is refused without a call', async () => {
  const before = requestCount;
  const { error, events, announced, records } = await ask(() => {}, { ...hello, n: 2 });
  expect(error).toMatchObject({ kind: 'invalid-request', details: { path: 'n', notRepresentable: true } });
  expect([events, announced, records]).toEqual([[], [], []]);
  expect(requestCount).toBe(before);
});

describe('usage records', () => {
  const firstUsage = event({
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

  test('an answer is recorded once, with its usage, under the announced id', async () => {
    const { announced, records } = await ask(response => void response.end(firstUsage + text + sum + stop));
    expect(announced).toEqual(['p/m']);
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      id: '1',
      requestId: 'r',
      outcome: 'answered',
      finishReason: 'stop',
      charged: true,
      usage: { input: 50, output: 20 },
      tokenId: 't',
      project: 'p',
      upstreamModel: 'm',
    });
    expect(records[0]).not.toHaveProperty('estimated');
  });

  test('an answer that is cut off is recorded with the usage reported so far', async () => {
    const { records } = await ask(async response => {
      await writePart(response, firstUsage + text);
      response.destroy();
    });
    const usage = { input: 50, output: 1 };
    expect(records).toMatchObject([{ outcome: 'failed', error: 'upstream', charged: true, usage }]);
  });

  test('output beyond the usage reported at the beginning is estimated', async () => {
    const { records } = await ask(async response => {
      await writePart(response, firstUsage + text + long);
      response.destroy();
    });
    const usage = { input: 50, output: 100 };
    expect(records).toMatchObject([{ outcome: 'failed', charged: true, estimated: true, usage }]);
  });

  test('usage that the upstream does not report is estimated', async () => {
    const { records } = await ask(response => void response.end(start + text + long + reason + stop));
    expect(records).toMatchObject([{ outcome: 'answered', estimated: true, usage: { output: 100 } }]);
  });

  test('a client that leaves before the answer is charged for the prompt, as its ingress estimated it', async () => {
    const abort = new AbortController();
    const { options, records } = attemptOf(
      testEnvelope({ estimate: { input: 1_000, units: { images: 2 } } }),
      {
        signal: abort.signal,
        upstream: { dialect: messagesDialect, headers },
        input: { body: 'canonical', request: hello },
        clock,
      },
    );
    respond = () => abort.abort();
    await attempt(dispatcher, options);
    expect(records).toMatchObject([
      {
        outcome: 'cancelled',
        charged: true,
        estimated: true,
        usage: { input: 1_000, output: 0, units: { images: 2 } },
      },
    ]);
  });

  test('a client that leaves before its request is sent pays nothing', async () => {
    const abort = new AbortController();
    const before = requestCount;
    const { options, records } = attemptOf(testEnvelope(), {
      signal: abort.signal,
      upstream: { dialect: messagesDialect, headers },
      input: { body: 'canonical', request: hello },
      clock,
    });
    const waiting = { dispatch: () => true } as unknown as typeof dispatcher;
    const ended = attempt(waiting, options);
    abort.abort();
    await ended;
    expect(records).toMatchObject([{ outcome: 'cancelled', charged: false, usage: null }]);
    expect(requestCount).toBe(before);
  });

  test('an answer whose client leaves is recorded once, as cancelled', async () => {
    const abort = new AbortController();
    const { records } = await ask(
      async response => {
        response.write(firstUsage + text);
        await vi.waitFor(() => expect(delivered).not.toEqual([]));
        abort.abort();
      },
      hello,
      {},
      abort.signal,
    );
    expect(records).toMatchObject([{ outcome: 'cancelled', charged: true, usage: { input: 50 } }]);
  });
});

describe('a whole body in reply to a streaming request', () => {
  beforeAll(() => {
    mediaType = 'application/json';
  });
  afterAll(() => {
    mediaType = 'text/event-stream';
  });

  test.each([
    ['an error', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
    ['an incomplete answer', { type: 'message', model: 'm', stop_reason: 'end_turn' }, 'upstream'],
    ['a string', 'Hello', 'upstream'],
  ])('a streaming request answered with %s fails', async (_, body, kind) => {
    const { events, error } = await ask(response => void response.end(JSON.stringify(body)));
    expect(error).toMatchObject({ kind });
    expect(events).toEqual([]);
  });
});
