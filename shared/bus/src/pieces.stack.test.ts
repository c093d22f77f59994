import { GatewayError, type GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Caller, type Message, type RequestBody, type ServedCall, Session } from './index.ts';
import { answerWindow, bodyWindow, pieceOverhead } from './protocol.ts';
import { type LocalWorker, startWorker } from './testing/local-worker.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';
import { PassingTime } from './testing/passing-time.ts';

let nats: NatsServer;
let time: PassingTime;
let caller: Caller;

beforeAll(async () => {
  nats = await startNats();
});
afterAll(() => nats.stop());
beforeEach(async () => {
  time = new PassingTime();
  caller = await Caller.open(await time.connect(nats.url));
});
afterEach(() => time.close());

const start = (serve: (call: ServedCall) => void) => startWorker(time, nats.url, serve);
const finish = { type: 'finish', reason: 'stop', raw: 'stop', usage: null } as const;

/** Reads a body to its end, and answers with its length. */
async function count(call: ServedCall): Promise<void> {
  let bytes = 0;
  for await (const piece of call.incoming?.bytes() ?? []) bytes += piece.length;
  call.send([{ type: 'verbatim', bytes: Buffer.from(String(bytes)) }, finish]);
}

/** Reads the first piece of a body and no other. */
async function stall(call: ServedCall): Promise<void> {
  for await (const _ of call.incoming?.bytes() ?? []) await new Promise(() => {});
}

/** A session that returns each message, text as text. */
async function parrot(call: ServedCall): Promise<void> {
  for await (const { data, text } of call.incoming?.messages() ?? [])
    if (!call.sendMessage(data, text)) await call.drained;
  call.send([finish]);
}

const envelope = testEnvelope({ operation: 'transcribe' });

function ask(body: RequestBody) {
  const events: GenerateEvent[] = [];
  const onEvents = (more: GenerateEvent[]) => void events.push(...more);
  const call = caller.call({ pool: 'default', envelope, body, queueMs: 60_000, onEvents });
  return { call, events };
}

async function* pieces(count: number, size: number, produced: () => void = () => {}) {
  for (let i = 0; i < count; i++) {
    produced();
    yield Buffer.alloc(size, i);
  }
}

describe('a streamed body', () => {
  test('is read while it arrives, and is never whole in memory', async () => {
    await start(count);
    const { call, events } = ask(pieces(30, 100_000));
    await time.until(() => call.done);
    expect(events).toMatchObject([{ bytes: Buffer.from('3000000') }, { type: 'finish' }]);
  });

  test('is sent no faster than the worker reads it', async () => {
    await start(stall);
    let produced = 0;
    const { call } = ask(pieces(100, 100_000, () => produced++));
    await time.pass(1_000);
    expect(call.worker).toBeDefined();
    expect(produced * 100_000).toBeGreaterThan(bodyWindow);
    expect(produced * 100_000).toBeLessThanOrEqual(bodyWindow + 300_000);
    const sent = produced;
    call.cancel();
    await time.pass(1_000);
    expect(produced).toBeLessThanOrEqual(sent + 1);
  });

  test('that fails ends the call with its error', async () => {
    const worker = await start(count);
    async function* body() {
      yield Buffer.from('a');
      throw new GatewayError('cancelled', 'The client left.');
    }
    const { call, events } = ask(body());
    await time.until(() => call.done);
    expect(events).toMatchObject([{ type: 'error', kind: 'cancelled' }]);
    await time.arrive();
    expect(worker.calls[0]?.signal.aborted).toBe(true);
  });

  test('that is read once is not sent to a second worker', async () => {
    const first = await start(stall);
    const { call, events } = ask(pieces(100, 100_000));
    await time.until(() => call.worker !== undefined);
    const second = await start(count);
    await first.kill();
    await time.until(() => call.done);
    expect(events).toMatchObject([{ type: 'error', kind: 'upstream' }]);
    expect(second.calls).toEqual([]);
  });
});

function open({ reads = true } = {}) {
  const messages: Message[] = [];
  const ends: (GatewayError | undefined)[] = [];
  const session = new Session();
  session.listen({
    onMessage(message, weight) {
      messages.push({ ...message, data: Buffer.from(message.data) });
      if (reads) session.consumed(weight);
    },
    onEnd: error => void ends.push(error),
  });
  const call = caller.call({
    pool: 'default',
    envelope,
    queueMs: 60_000,
    body: session.body,
    onEvents: (events, weight) => session.write(events, weight),
  });
  session.connect({
    consumed: weight => call.consumed(weight),
    ended: error => {
      if (error) call.cancel();
    },
  });
  return { session, messages, ends };
}

const text = (data: string): Message => ({ data: Buffer.from(data), text: true });

describe('a session', () => {
  let worker: LocalWorker;
  beforeEach(async () => {
    worker = await start(parrot);
  });

  test('carries text and binary messages in both directions, whole and in order', async () => {
    const { session, messages, ends } = open();
    const sent: Message[] = [
      text('first'),
      text(''),
      { data: Buffer.alloc(1_000_000, 7), text: false },
      { data: Buffer.from('last'), text: false },
    ];
    for (const message of sent) session.send(message);
    session.close();
    await time.until(() => ends.length > 0);
    expect(ends).toEqual([undefined]);
    expect(messages).toEqual(sent);
  });

  test('keeps the order of twenty thousand messages', async () => {
    const { session, messages, ends } = open();
    const send = async () => {
      for (let i = 0; i < 20_000; i++) if (!session.send(text(String(i)))) await session.drained;
      session.close();
    };
    void send();
    await time.until(() => ends.length > 0);
    expect(ends).toEqual([undefined]);
    expect(messages.map(({ data }) => data.toString())).toEqual(
      Array.from({ length: 20_000 }, (_, i) => String(i)),
    );
  });

  test('makes the sender wait for a worker that reads nothing, and ends if it sends on', async () => {
    await worker.kill();
    await start(() => {});
    const { session, ends } = open();
    const piece = { data: Buffer.alloc(100_000), text: false };
    session.send(piece);
    await time.pass(1_000);
    while (session.send(piece));
    await time.pass(1_000);
    expect(ends).toEqual([]);
    for (let i = 0; i < 400; i++) session.send(piece);
    expect(ends).toMatchObject([{ kind: 'overloaded' }]);
  });

  test('makes the sender wait each time that too many bytes wait', async () => {
    const { session, messages, ends } = open();
    const data = Buffer.alloc(64_000);
    let waited = 0;
    const send = async () => {
      for (let i = 0; i < 50; i++) {
        if (session.send({ data, text: false })) continue;
        waited++;
        await session.drained;
        expect(session.send(text(''))).toBe(true);
      }
      session.close();
    };
    const sending = send();
    await time.until(() => ends.length > 0);
    await sending;
    expect(waited).toBeGreaterThan(1);
    expect(messages.filter(message => message.data.length > 0)).toHaveLength(50);
  });

  test('counts an overhead for each message, in both directions', async () => {
    const nothing = { data: Buffer.alloc(0), text: false };
    const { session, messages } = open({ reads: false });
    let sent = 0;
    const send = async () => {
      for (; sent < 20_000; sent++) if (!session.send(nothing)) await session.drained;
    };
    void send();
    const mostBack = answerWindow / pieceOverhead;
    const mostOn = mostBack + (2 * bodyWindow) / pieceOverhead;
    await time.pass(1_000);
    expect(messages.length).toBeGreaterThan(mostBack / 2);
    expect(messages.length).toBeLessThan(mostBack + 100);
    expect(sent).toBeGreaterThan(mostBack);
    expect(sent).toBeLessThan(mostBack + mostOn);
    session.cancel();
  });

  test('ends at the worker when it is cancelled, and here when the worker is lost', async () => {
    const cancelled = open();
    cancelled.session.send(text('a'));
    await time.until(() => cancelled.messages.length === 1);
    cancelled.session.cancel();
    await time.arrive();
    expect(worker.calls[0]?.signal.aborted).toBe(true);
    const lost = open();
    lost.session.send(text('a'));
    await time.until(() => lost.messages.length === 1);
    await worker.kill();
    await time.until(() => lost.ends.length > 0);
    expect(lost.ends).toMatchObject([{ kind: 'upstream' }]);
  });
});
