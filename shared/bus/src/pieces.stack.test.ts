import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Envelope, GatewayError, GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Bus, Caller, connectBus, type Message, type RequestBody, Session } from './index.ts';
import { answerWindow, bodyWindow, pieceOverhead } from './protocol.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';

let nats: NatsServer;
let bus: Bus;
let caller: Caller;
let worker: ChildProcess;
let reports: unknown[];

beforeAll(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: 'test' });
  caller = await Caller.open(bus);
});
afterAll(async () => {
  caller.close();
  await bus.close();
  await nats.stop();
});
beforeEach(async () => {
  worker = fork(new URL('./testing/worker-process.ts', import.meta.url), {
    env: { ...process.env, NATS_URL: nats.url },
    execArgv: [],
  });
  reports = [];
  await once(worker, 'message');
  worker.on('message', message => reports.push(message));
});
afterEach(() => worker.kill('SIGKILL'));

function envelope(model: string, headers: Record<string, string> = {}): Envelope {
  return testEnvelope({ operation: 'transcribe', model, headers });
}

function ask(body: RequestBody, headers?: Record<string, string>) {
  const ended = Promise.withResolvers<GenerateEvent>();
  let text = '';
  const call = caller.call({
    pool: 'default',
    envelope: envelope('count', headers),
    body,
    queueMs: 60_000,
    onEvents(events) {
      for (const event of events) {
        if (event.type === 'verbatim') text += Buffer.from(event.bytes).toString();
        else ended.resolve(event);
      }
    },
  });
  return { call, ended: ended.promise, text: () => text };
}

async function* pieces(count: number, size: number, produced: () => void = () => {}) {
  for (let i = 0; i < count; i++) {
    produced();
    yield Buffer.alloc(size, i);
  }
}

const lastBytes = () => reports.findLast(m => typeof m === 'object') as { bytes: number } | undefined;

describe('a streamed body', () => {
  test('is read while it arrives, and is never whole in memory', async () => {
    const answer = ask(pieces(100, 300_000));
    expect((await answer.ended).type).toBe('finish');
    expect(answer.text()).toBe('30000000');
  });

  test('is sent no faster than the worker reads it', async () => {
    let produced = 0;
    const answer = ask(
      pieces(100, 100_000, () => produced++),
      { 'x-pause': '600000' },
    );
    await vi.waitFor(() => expect(lastBytes()).toBeDefined());
    await sleep(500);
    expect(produced * 100_000).toBeLessThanOrEqual(bodyWindow + 300_000);
    answer.call.cancel();
    await vi.waitFor(() => expect(produced).toBeLessThan(100));
  });

  test('that fails ends the call with its error', async () => {
    const answer = ask(
      (async function* () {
        yield Buffer.from('a');
        throw Object.assign(new Error('the client left'));
      })(),
    );
    expect(await answer.ended).toMatchObject({ type: 'error', kind: 'internal' });
    await vi.waitFor(() => expect(reports).toContain('cancelled'));
  });

  test('that is read once is not sent to a second worker', async () => {
    const answer = ask(pieces(100, 100_000), { 'x-pause': '600000' });
    await vi.waitFor(() => expect(lastBytes()).toBeDefined());
    // Until the caller knows who accepted the call, the call waits for another worker.
    await expect.poll(() => answer.call.worker).toBeDefined();
    worker.kill('SIGKILL');
    expect(await answer.ended).toMatchObject({ type: 'error', kind: 'upstream' });
  });
});

function open({ reads = true } = {}) {
  const messages: Message[] = [];
  const ended = Promise.withResolvers<GatewayError | undefined>();
  const session = new Session();
  session.listen({
    onMessage(message, weight) {
      messages.push({ ...message, data: Buffer.from(message.data) });
      if (reads) session.consumed(weight);
    },
    onEnd: ended.resolve,
  });
  const call = caller.call({
    pool: 'default',
    envelope: envelope('parrot'),
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
  return { session, messages, ended: ended.promise };
}

describe('a session', () => {
  test('carries text and binary messages in both directions, whole and in order', async () => {
    const { session, messages, ended } = open();
    const sent: Message[] = [
      { data: Buffer.from('first'), text: true },
      { data: Buffer.alloc(0), text: true },
      { data: Buffer.alloc(1_000_000, 7), text: false },
      { data: Buffer.from('last'), text: false },
    ];
    for (const message of sent) session.send(message);
    session.close();
    expect(await ended).toBeUndefined();
    expect(messages).toEqual(sent);
    await vi.waitFor(() => expect(reports).toContain('closed'));
  });

  test('keeps the order of a hundred thousand messages', async () => {
    const { session, messages, ended } = open();
    for (let i = 0; i < 100_000; i++) {
      if (!session.send({ data: Buffer.from(String(i)), text: true })) await session.drained;
    }
    session.close();
    expect(await ended).toBeUndefined();
    expect(messages.every(({ data }, i) => data.toString() === String(i))).toBe(true);
    expect(messages).toHaveLength(100_000);
  });

  test('makes the sender wait for a worker that reads nothing, and ends if it sends on', async () => {
    const { session, ended } = open();
    session.send({ data: Buffer.from('hello'), text: true });
    await vi.waitFor(() => expect(reports.length).toBeGreaterThan(0));
    worker.kill('SIGSTOP');
    let more = true;
    while (more) more = session.send({ data: Buffer.alloc(100_000), text: false });
    for (let i = 0; i < 400; i++) session.send({ data: Buffer.alloc(100_000), text: false });
    expect(await ended).toMatchObject({ kind: 'overloaded' });
    worker.kill('SIGCONT');
  });

  test('makes the sender wait each time that too many bytes wait', async () => {
    const { session, messages, ended } = open();
    const data = Buffer.alloc(64_000);
    const nothing = { data: Buffer.alloc(0), text: false };
    let waited = 0;
    for (let i = 0; i < 200; i++) {
      if (session.send({ data, text: false })) continue;
      waited++;
      await session.drained;
      expect(session.send(nothing)).toBe(true);
    }
    expect(waited).toBeGreaterThan(1);
    session.close();
    expect(await ended).toBeUndefined();
    expect(messages.filter(message => message.data.length > 0)).toHaveLength(200);
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
    await vi.waitFor(() => expect(messages.length).toBeGreaterThan(mostBack / 2));
    await sleep(500);
    expect(messages.length).toBeLessThan(mostBack + 100);
    expect(sent).toBeGreaterThan(mostBack);
    expect(sent).toBeLessThan(mostBack + mostOn);
    session.cancel();
  });

  test('ends at the worker when it is cancelled, and here when the worker is killed', async () => {
    const cancelled = open();
    cancelled.session.send({ data: Buffer.from('a'), text: true });
    await vi.waitFor(() => expect(cancelled.messages).toHaveLength(1));
    cancelled.session.cancel();
    await vi.waitFor(() => expect(reports).toContain('cancelled'));
    const lost = open();
    lost.session.send({ data: Buffer.from('a'), text: true });
    await vi.waitFor(() => expect(lost.messages).toHaveLength(1));
    worker.kill('SIGKILL');
    expect(await lost.ended).toMatchObject({ kind: 'upstream' });
  });
});
