import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Bus, type Call, Caller, connectBus, maxLosses } from './index.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';

let nats: NatsServer;
let bus: Bus;
let caller: Caller;
const workers: ChildProcess[] = [];

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
afterEach(() => {
  for (const worker of workers.splice(0)) worker.kill('SIGKILL');
});

/** Starts a worker and collects its messages. */
async function startWorker() {
  const worker = fork(new URL('./testing/worker-process.ts', import.meta.url), {
    env: { ...process.env, NATS_URL: nats.url },
    execArgv: [],
  });
  workers.push(worker);
  const messages: unknown[] = [];
  await once(worker, 'message');
  worker.on('message', message => messages.push(message));
  return { kill: () => worker.kill('SIGKILL'), messages };
}

/** A repeatable body of a hundred pieces, with the number of reads that were started and that have ended. */
function readAgain() {
  const read = { begun: 0, over: 0 };
  async function* body() {
    read.begun++;
    try {
      for (let i = 0; i < 100; i++) yield Buffer.alloc(100_000, i);
    } finally {
      read.over++;
    }
  }
  return { read, body };
}

/** Makes a call, and makes it again if its worker is lost. */
function ask(model: string, body: () => AsyncIterable<Uint8Array>, headers: Record<string, string> = {}) {
  const ended = Promise.withResolvers<GenerateEvent>();
  let text = '';
  const envelope = testEnvelope({ operation: 'transcribe', format: 'transcriptions', model, headers });
  const open = (lossesLeft: number): Call =>
    caller.call({
      pool: 'default',
      envelope,
      body,
      queueMs: 60_000,
      lossesLeft,
      onEvents(events) {
        for (const event of events) {
          if (event.type === 'verbatim') text += Buffer.from(event.bytes).toString();
          else ended.resolve(event);
        }
      },
      onLost() {
        call = open(lossesLeft - call.losses);
      },
    });
  let call = open(maxLosses);
  return { call, ended: ended.promise, text: () => text };
}

/** Waits until a worker has received a part of a body. */
const receivesBody = ({ messages }: { messages: unknown[] }) =>
  vi.waitFor(() => expect(JSON.stringify(messages)).toMatch('"bytes"'));

test('a repeatable body is sent from its start to a second worker', async () => {
  const first = await startWorker();
  const { read, body } = readAgain();
  // The first worker never finishes, and the second one reads without pauses.
  const headers = { 'x-pause': '600000' };
  const answer = ask('count', body, headers);
  await receivesBody(first);
  headers['x-pause'] = '0';
  const second = await startWorker();
  first.kill();
  expect((await answer.ended).type).toBe('finish');
  expect(answer.text()).toBe('10000000');
  await vi.waitFor(() => expect(second.messages).toContain('whole'));
  expect(read).toEqual({ begun: 2, over: 2 });
});

test('a repeatable body is not sent to a third worker', async () => {
  const first = await startWorker();
  const { read, body } = readAgain();
  const answer = ask('count', body, { 'x-pause': '600000' });
  await receivesBody(first);
  const second = await startWorker();
  first.kill();
  await receivesBody(second);
  await startWorker();
  second.kill();
  expect(await answer.ended).toMatchObject({ type: 'error', kind: 'upstream' });
  await vi.waitFor(() => expect(read).toEqual({ begun: 2, over: 2 }));
});

test('a repeatable body is not sent again once its response has begun', async () => {
  const first = await startWorker();
  const { read, body } = readAgain();
  const answer = ask('slow', body);
  await vi.waitFor(() => expect(answer.text()).not.toBe(''));
  await startWorker();
  first.kill();
  expect(await answer.ended).toMatchObject({ type: 'error', kind: 'upstream' });
  await vi.waitFor(() => expect(read).toEqual({ begun: 1, over: 1 }));
});

test('a repeatable body of a cancelled call is read no further', async () => {
  const worker = await startWorker();
  const { read, body } = readAgain();
  const answer = ask('count', body, { 'x-pause': '600000' });
  await receivesBody(worker);
  answer.call.cancel();
  await vi.waitFor(() => expect(read).toEqual({ begun: 1, over: 1 }));
});
