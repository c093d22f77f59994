import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Bus, type Call, Caller, connectBus, maxLosses } from './index.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';

let nats: NatsServer;
let bus: Bus;
let caller: Caller;
let workers: ChildProcess[];

beforeEach(async () => {
  workers = [];
  await begin();
});

afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  caller.close();
  await bus.close();
  await nats.stop();
});

async function begin(maxPayload?: string) {
  nats = await startNats(maxPayload ? { maxPayload } : {});
  bus = await connectBus({ url: nats.url, name: 'test' });
  caller = await Caller.open(bus);
}

async function startWorker(env: Record<string, string> = {}): Promise<ChildProcess> {
  const worker = fork(new URL('./testing/worker-process.ts', import.meta.url), {
    env: { ...process.env, NATS_URL: nats.url, ...env },
    execArgv: [],
  });
  workers.push(worker);
  await once(worker, 'message');
  return worker;
}

/** Resolves with the worker's next message that `wanted` accepts. */
async function messageFrom(worker: ChildProcess, wanted: (message: unknown) => boolean): Promise<unknown> {
  for (;;) {
    const [message] = await once(worker, 'message', { signal: AbortSignal.timeout(30_000) });
    if (wanted(message)) return message;
  }
}

const soon = { timeout: 60_000 };

interface Answer {
  /** The last call of the request, which is called again if its worker is lost. */
  readonly call: Call;
  /** Workers lost by all calls of the request. */
  losses(): number;
  events: GenerateEvent[];
  text(): string;
  ended: Promise<GenerateEvent>;
  first: Promise<GenerateEvent>;
}

function ask(
  model: string,
  body: Buffer = Buffer.from('{}'),
  queueMs = 60_000,
  take = true,
  lossesLeft = maxLosses,
): Answer {
  const events: GenerateEvent[] = [];
  const ended = Promise.withResolvers<GenerateEvent>();
  const first = Promise.withResolvers<GenerateEvent>();
  const envelope = testEnvelope({ model, textLength: body.length });
  const open = (lost: number): Call =>
    caller.call({
      pool: 'default',
      envelope,
      body,
      queueMs,
      lossesLeft: lossesLeft - lost,
      onEvents(batch, weight) {
        if (take) call.consumed(weight);
        for (const event of batch) keep(event);
      },
      onLost() {
        earlier = lost + call.losses;
        call = open(earlier);
      },
    });
  let earlier = 0;
  let call = open(0);
  const keep = (event: GenerateEvent) => {
    first.resolve(event);
    // Copied, since it is a view of the message.
    events.push(event.type === 'verbatim' ? { ...event, bytes: Buffer.from(event.bytes) } : event);
    if (event.type !== 'verbatim') ended.resolve(event);
  };
  const text = () => Buffer.concat(events.flatMap(e => (e.type === 'verbatim' ? [e.bytes] : []))).toString();
  return {
    get call() {
      return call;
    },
    losses: () => earlier + call.losses,
    events,
    text,
    ended: ended.promise,
    first: first.promise,
  };
}

describe('a call', () => {
  test('is answered by a worker in another process', async () => {
    await startWorker();
    const answer = ask('echo', Buffer.from('{"a":1}'));
    expect(await answer.ended).toMatchObject({ type: 'finish', reason: 'stop' });
    expect(answer.text()).toBe('{"a":1}');
  });

  test.each([900_000, 1_100_000, 20_000_000])(
    'carries a body of %i bytes and a response of the same size',
    async size => {
      await startWorker();
      const body = Buffer.alloc(size, '0123456789');
      const answer = ask('echo', body);
      expect((await answer.ended).type).toBe('finish');
      expect(answer.text() === body.toString()).toBe(true);
    },
  );

  test('never sends a message larger than max_payload', async () => {
    caller.close();
    await bus.close();
    await nats.stop();
    await begin('64KB');
    await startWorker();
    const body = Buffer.alloc(300_000, 'abcdefg');
    const answer = ask('echo', body);
    expect((await answer.ended).type).toBe('finish');
    expect(answer.text() === body.toString()).toBe(true);
  });

  test('gets its own response among a thousand concurrent calls', async () => {
    await startWorker({ CAPACITY: '2000' });
    const calls = Array.from({ length: 1000 }, (_, i) => ({
      i,
      answer: ask('echo', Buffer.from(`body ${i}`)),
    }));
    for (const { i, answer } of calls) {
      expect((await answer.ended).type).toBe('finish');
      expect(answer.text()).toBe(`body ${i}`);
    }
  });

  test('stops at the worker also if it is one of many that are cancelled at once', async () => {
    const worker = await startWorker();
    // As many as the worker takes, and more than it aborts in one turn of its event loop.
    const calls = 80;
    let serving = 0;
    let cancelled = 0;
    worker.on('message', message => {
      if (message === 'cancelled') cancelled++;
      else if ((message as { serving?: string }).serving === 'silent') serving++;
    });
    const answers = Array.from({ length: calls }, () => ask('silent'));
    // A call that the worker accepted late is opened at it once more.
    await expect.poll(() => serving).toBeGreaterThanOrEqual(calls);
    for (const { call } of answers) call.cancel();
    await expect.poll(() => cancelled).toBeGreaterThanOrEqual(calls);
  });

  test('stops its worker when it is cancelled, before and after the first event', async () => {
    const worker = await startWorker();
    for (const model of ['silent', 'slow']) {
      const serving = messageFrom(worker, m => (m as { serving?: string }).serving === model);
      const answer = ask(model);
      await serving;
      if (model === 'slow') await answer.first;
      const cancelled = messageFrom(worker, m => m === 'cancelled');
      const at = Date.now();
      answer.call.cancel();
      await cancelled;
      expect(Date.now() - at).toBeLessThan(5_000);
    }
  });

  test('pauses the worker after one credit window when its client takes nothing', async () => {
    const worker = await startWorker();
    let sent = 0;
    worker.on('message', message => {
      sent = (message as { sent?: number }).sent ?? sent;
    });
    const answer = ask('flood', undefined, 60_000, false);
    await answer.first;
    await sleep(500);
    expect(sent).toBeLessThanOrEqual(6);
    answer.call.consumed(answer.text().length);
    await expect.poll(() => sent).toBeGreaterThan(6);
    await sleep(300);
    expect(sent).toBeLessThanOrEqual(12);
  });
});

describe('workers', () => {
  test('that are all absent make a call fail as overloaded after the queue time, with retry-after', async () => {
    const at = Date.now();
    expect(await ask('echo', undefined, 600).ended).toMatchObject({ kind: 'overloaded', retryAfterMs: 5000 });
    expect(Date.now() - at).toBeGreaterThanOrEqual(600);
    expect(Date.now() - at).toBeLessThan(10_000);
  });

  test.each([
    ['a call', maxLosses],
    ['a call of a request that lost a worker', 1],
  ])('that start while %s waits get the call', async (_, lossesLeft) => {
    const answer = ask('echo', Buffer.from('late'), 60_000, true, lossesLeft);
    await sleep(300);
    await startWorker();
    expect((await answer.ended).type).toBe('finish');
    expect(answer.text()).toBe('late');
  });

  test('that are full answer busy, and the call goes to one with room', async () => {
    const full = await startWorker({ CAPACITY: '1' });
    const serving = messageFrom(full, m => (m as { serving?: string }).serving === 'silent');
    ask('silent');
    await serving;
    await startWorker({ CAPACITY: '50' });
    const answers = Array.from({ length: 20 }, () => ask('echo', Buffer.from('x')));
    for (const answer of answers) expect((await answer.ended).type).toBe('finish');
  });

  test('that are killed before the first event leave the call to be made again; after it the call fails', async () => {
    const first = await startWorker();
    const serving = messageFrom(first, m => (m as { serving?: string }).serving === 'silent');
    const waiting = ask('silent');
    await serving;
    const delivered = ask('slow');
    await delivered.first;
    const second = await startWorker();
    const taken = messageFrom(second, m => (m as { serving?: string }).serving === 'silent');
    first.kill('SIGKILL');
    await taken;
    expect(waiting.events).toEqual([]);
    expect(await delivered.ended).toMatchObject({ type: 'error', kind: 'upstream' });
  });

  test('are not tried after a request has lost two of them, by this route or an earlier one', async () => {
    const first = await startWorker();
    const waiting = ask('silent');
    const accepted = (answer: Answer) => vi.waitFor(() => expect(answer.call.worker).toBeDefined(), soon);
    await accepted(waiting);
    const second = await startWorker();
    first.kill('SIGKILL');
    await vi.waitFor(() => expect(waiting.losses()).toBe(1), soon);
    await accepted(waiting);
    const third = await startWorker();
    let poisoned = false;
    third.on('message', () => {
      poisoned = true;
    });
    second.kill('SIGKILL');
    expect(await waiting.ended).toMatchObject({ type: 'error', kind: 'upstream', lostWorkers: true });
    expect(waiting.losses()).toBe(2);
    expect(poisoned).toBe(false);
    const lastChance = ask('silent', undefined, 60_000, true, 1);
    await accepted(lastChance);
    third.kill('SIGKILL');
    await startWorker();
    expect(await lastChance.ended).toMatchObject({ type: 'error', kind: 'upstream', lostWorkers: true });
  });

  test('that were paused until they gave up their callers leave no call hanging', async () => {
    const worker = await startWorker();
    const serving = messageFrom(worker, m => (m as { serving?: string }).serving === 'slow');
    const answer = ask('slow');
    await serving;
    await answer.first;
    for (let i = 0; i < 3; i++) {
      worker.kill('SIGSTOP');
      await sleep(2_400);
      worker.kill('SIGCONT');
      await sleep(200);
    }
    const seen = answer.events.length;
    let isOver = false;
    answer.ended.then(() => {
      isOver = true;
    });
    await expect.poll(() => isOver || answer.events.length > seen).toBe(true);
  });

  test('whose event loop is blocked for longer than lostMs do not count as lost', async () => {
    const worker = await startWorker();
    const busy = ask('busy');
    await messageFrom(worker, message => (message as { serving?: string }).serving === 'busy');
    expect((await busy.ended).type).toBe('finish');
    expect(busy.text()).toBe('done');
  });

  test('that lose only their connection report the call as lost to the caller', async () => {
    const worker = await startWorker();
    const answer = ask('slow');
    await answer.first;
    const cancelled = messageFrom(worker, m => m === 'cancelled');
    worker.send('reconnect');
    await cancelled;
    expect(await answer.ended).toMatchObject({ type: 'error', kind: 'upstream' });
    expect(await ask('echo').ended).toMatchObject({ type: 'finish' });
  });

  test('that drain finish running calls and take no new ones', async () => {
    const worker = await startWorker();
    const running = ask('slow');
    await running.first;
    const drained = messageFrom(worker, m => m === 'drained');
    worker.send('drain');
    await expect.poll(() => caller.problem).toBe('no worker sends heartbeats');
    const refused = ask('echo', undefined, 500);
    expect(await refused.ended).toMatchObject({ kind: 'overloaded' });
    running.call.cancel();
    await drained;
  });

  test('stop the calls of a caller that vanishes', async () => {
    const worker = await startWorker();
    const serving = messageFrom(worker, m => (m as { serving?: string }).serving === 'silent');
    ask('silent');
    await serving;
    const cancelled = messageFrom(worker, m => m === 'cancelled');
    // Closes the connection as a dying process does: no cancel is sent.
    await bus.calls.close();
    await cancelled;
  });
});

test('a restart of NATS ends a delivered response in an error, and the next call works', async () => {
  await startWorker();
  const delivered = ask('slow');
  await delivered.first;
  await nats.restart();
  expect(await delivered.ended).toMatchObject({ type: 'error', kind: 'upstream' });
  const next = ask('echo', Buffer.from('again'));
  expect((await next.ended).type).toBe('finish');
});
