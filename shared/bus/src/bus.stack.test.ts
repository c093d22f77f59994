import { endedByOf, type GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectionWindow, leastWindow } from './frame.ts';
import { answerWindow, type Bus, type Call, Caller, maxLosses, type ServedCall, silentMs } from './index.ts';
import { type LocalWorker, startWorker } from './testing/local-worker.ts';
import { type OwnNatsServer, startOwnNats } from './testing/nats-server.ts';
import { PassingTime } from './testing/passing-time.ts';

let nats: OwnNatsServer;
let time: PassingTime;
let bus: Bus;
let caller: Caller;

beforeAll(async () => {
  nats = await startOwnNats();
});
afterAll(() => nats.stop());
beforeEach(() => begin(nats.url));
afterEach(() => time.close());

async function begin(url: string) {
  time = new PassingTime();
  bus = await time.connect(url);
  caller = await Caller.open(bus);
}

const finish = { type: 'finish', reason: 'stop', raw: 'stop', usage: null } as const;
const verbatim = (bytes: Uint8Array) => ({ type: 'verbatim', bytes }) as const;

/** Sends the body of a call back. */
const echo = (call: ServedCall) => void call.send([verbatim(call.body), finish]);
const silent = () => {};
/** Sends the first part of an answer and no other. */
const startAnswer = (call: ServedCall) => void call.send([verbatim(Buffer.from('0'))]);
/** Answers the calls of the model `silent` never, those of `slow` without an end, and echoes the others. */
function byModel(call: ServedCall): void {
  const answers: Record<string, (call: ServedCall) => void> = { silent, slow: startAnswer };
  (answers[call.envelope.model] ?? echo)(call);
}

interface Answer {
  /** The last call of the request, which is called again if its worker is lost. */
  readonly call: Call;
  /** Workers lost by all calls of the request. */
  readonly losses: number;
  readonly events: GenerateEvent[];
  readonly text: string;
  /** The last event; undefined while there is none. */
  readonly end: GenerateEvent | undefined;
}

interface AskOptions {
  body?: Buffer;
  queueMs?: number;
  /** False for a client that takes nothing. */
  takes?: boolean;
  lossesLeft?: number;
}

function ask(
  model: string,
  { body = Buffer.from('{}'), queueMs = 60_000, takes = true, lossesLeft = maxLosses }: AskOptions = {},
): Answer {
  const events: GenerateEvent[] = [];
  const envelope = testEnvelope({ model, textLength: body.length });
  const open = (lost: number): Call =>
    caller.call({
      pool: 'default',
      envelope,
      body,
      queueMs,
      lossesLeft: lossesLeft - lost,
      onEvents(batch, weight) {
        if (takes) call.consumed(weight);
        // Copied, since it is a view of the message.
        for (const event of batch)
          events.push(event.type === 'verbatim' ? { ...event, bytes: Buffer.from(event.bytes) } : event);
      },
      onLost() {
        earlier = lost + call.losses;
        call = open(earlier);
      },
    });
  let earlier = 0;
  let call = open(0);
  return {
    events,
    get call() {
      return call;
    },
    get losses() {
      return earlier + call.losses;
    },
    get text() {
      return Buffer.concat(events.flatMap(e => (e.type === 'verbatim' ? [e.bytes] : []))).toString();
    },
    get end() {
      const last = events.at(-1);
      return last?.type === 'verbatim' ? undefined : last;
    },
  };
}

/** Lets time pass until the request has its last event, and returns it. */
async function endOf(answer: Answer): Promise<GenerateEvent | undefined> {
  await time.until(() => answer.end !== undefined);
  return answer.end;
}

/** Lets time pass until a worker has accepted the call. */
const accepted = ({ call }: Answer) => time.until(() => call.worker !== undefined);

const start = (serve: (call: ServedCall) => void, capacity?: number) =>
  startWorker(time, nats.url, serve, capacity);

describe('a call', () => {
  test('carries a body of 5 MB and a response of the same size', async () => {
    await start(echo);
    const body = Buffer.alloc(5_000_000, '0123456789');
    const answer = ask('echo', { body });
    expect(await endOf(answer)).toMatchObject({ type: 'finish', reason: 'stop' });
    expect(answer.text === body.toString()).toBe(true);
  });

  test('never sends a message larger than max_payload', async () => {
    const small = await startOwnNats({ maxPayload: '64KB' });
    try {
      await time.close();
      await begin(small.url);
      await startWorker(time, small.url, echo);
      const body = Buffer.alloc(300_000, 'abcdefg');
      const answer = ask('echo', { body });
      expect((await endOf(answer))?.type).toBe('finish');
      expect(answer.text === body.toString()).toBe(true);
    } finally {
      await time.close();
      await small.stop();
    }
  });

  test('gets its own response among a thousand concurrent calls', async () => {
    await start(echo, 2_000);
    const answers = Array.from({ length: 1_000 }, (_, i) => ask('echo', { body: Buffer.from(`body ${i}`) }));
    await time.until(() => answers.every(({ end }) => end?.type === 'finish'));
    expect(answers.map(({ text }) => text)).toEqual(answers.map((_, i) => `body ${i}`));
  });

  test('stops at the worker also if it is one of many that are cancelled at once', async () => {
    const { calls } = await start(silent);
    // As many as the worker takes, and more than it aborts in one turn of its event loop.
    const answers = Array.from({ length: 80 }, () => ask('silent'));
    await time.until(() => answers.every(({ call }) => call.worker));
    for (const { call } of answers) call.cancel();
    await time.arrive();
    expect(calls.filter(({ signal }) => signal.aborted)).toHaveLength(80);
  });

  test.each([
    ['before the first event', 'silent', 'ann'],
    ['after the first event', 'slow', undefined],
  ])('stops its worker when it is cancelled %s, which learns who ended it', async (_, model, name) => {
    const { calls } = await start(byModel);
    const answer = ask(model);
    await accepted(answer);
    expect(answer.events).toHaveLength(model === 'slow' ? 1 : 0);
    answer.call.cancel(name);
    await time.arrive();
    const signal = calls[0]?.signal as AbortSignal;
    expect(signal.aborted).toBe(true);
    expect(endedByOf(signal)).toBe(name);
  });

  test('pauses the worker after one credit window when its client takes nothing', async () => {
    const piece = Buffer.alloc(50_000, 'x');
    const inWindow = Math.ceil(answerWindow / piece.length);
    let sent = 0;
    await start(async call => {
      while (sent++ < 400) if (!call.send([verbatim(piece)])) await call.drained;
    });
    const answer = ask('flood', { takes: false });
    await time.pass(1_000);
    expect(sent).toBe(inWindow);
    for (let left = answer.text.length; left > 0; left -= 1_000) answer.call.consumed(Math.min(left, 1_000));
    await time.pass(1_000);
    // Less than half a window is not returned yet.
    expect(sent).toBe(2 * inWindow - 1);
  });

  test('shares credit with the others: what many send to a process that takes nothing stays under what NATS queues', async () => {
    const piece = Buffer.alloc(8_192, 'x');
    const calls = 500;
    let sent = 0;
    await start(async call => {
      do sent += piece.length;
      while (call.send([verbatim(piece)]));
      await call.drained;
      for (let more = 0; more < 1_000_000; more += piece.length)
        if (!call.send([verbatim(piece)])) await call.drained;
      call.send([finish]);
    }, 2 * calls);
    const answers = Array.from({ length: calls }, () => ask('flood', { takes: false }));
    await time.until(() => answers.every(({ call }) => call.worker));
    await time.arrive();
    // One piece of each call exceeds its window.
    expect(sent).toBeLessThan(connectionWindow + calls * (leastWindow + piece.length));
    // With little credit, an answer goes on as its client takes it.
    const last = answers.at(-1) as Answer;
    const weight = () => last.text.length;
    for (let taken = 0; !last.end; taken = weight()) {
      await time.arrive();
      last.call.consumed(weight() - taken);
    }
    expect(last.end).toMatchObject({ type: 'finish' });
  });
});

describe('workers', () => {
  test('that are all absent make a call fail as overloaded after the queue time, with retry-after', async () => {
    const answer = ask('echo', { queueMs: 600 });
    const ms = await time.until(() => answer.end !== undefined);
    expect(answer.end).toMatchObject({
      ...{ kind: 'overloaded', retryAfterMs: 5_000, unserved: true },
      message: 'No worker that could serve this request has been running for 0.6 s. Retry later.',
    });
    expect(ms).toBeGreaterThanOrEqual(600);
    expect(ms).toBeLessThan(1_000);
  });

  test.each([
    ['a call', maxLosses],
    ['a call of a request that lost a worker', 1],
  ])('that start while %s waits get the call', async (_, lossesLeft) => {
    const answer = ask('echo', { body: Buffer.from('late'), lossesLeft });
    await time.pass(300);
    await start(echo);
    expect((await endOf(answer))?.type).toBe('finish');
    expect(answer.text).toBe('late');
  });

  test('that are full answer busy, and the call goes to one with room', async () => {
    const full = await start(silent, 1);
    await accepted(ask('silent'));
    await start(echo, 50);
    const answers = Array.from({ length: 20 }, () => ask('echo'));
    for (const answer of answers) expect((await endOf(answer))?.type).toBe('finish');
    expect(full.calls).toHaveLength(1);
  });

  test('that are killed before the first event leave the call to be made again; after it the call fails', async () => {
    const first = await start(byModel);
    const waiting = ask('silent');
    const delivered = ask('slow');
    await accepted(waiting);
    await accepted(delivered);
    const second = await start(byModel);
    await first.kill();
    await time.until(() => second.calls.length > 0);
    expect([waiting.end, waiting.losses]).toEqual([undefined, 1]);
    expect(await endOf(delivered)).toMatchObject({ type: 'error', kind: 'upstream' });
  });

  test('are not tried after a request has lost two of them, by this route or an earlier one', async () => {
    const first = await start(silent);
    const waiting = ask('silent');
    await accepted(waiting);
    const second = await start(silent);
    await first.kill();
    await time.until(() => waiting.losses === 1);
    await accepted(waiting);
    const third = await start(silent);
    await second.kill();
    expect(await endOf(waiting)).toMatchObject({ type: 'error', kind: 'upstream', lostWorkers: true });
    expect(waiting.losses).toBe(2);
    expect(third.calls).toEqual([]);
    const lastChance = ask('silent', { lossesLeft: 1 });
    await accepted(lastChance);
    const fourth = await start(silent);
    await third.kill();
    expect(await endOf(lastChance)).toMatchObject({ type: 'error', kind: 'upstream', lostWorkers: true });
    expect(fourth.calls).toEqual([]);
  });

  test('that lose only their connection report the call as lost to the caller', async () => {
    const worker = await start(byModel);
    const answer = ask('slow');
    await accepted(answer);
    await worker.bus.calls.reconnect();
    await vi.waitFor(() => expect(worker.calls[0]?.signal.aborted).toBe(true));
    await vi.waitFor(() => expect(worker.bus.connected()).toBe(true));
    expect(await time.until(() => answer.end !== undefined)).toBeLessThan(silentMs);
    expect(answer.end).toMatchObject({ type: 'error', kind: 'upstream' });
    expect(await endOf(ask('echo'))).toMatchObject({ type: 'finish' });
  });

  test('that drain finish running calls and take no new ones', async () => {
    const worker = await start(byModel);
    const running = ask('slow');
    await accepted(running);
    let isDrained = false;
    void worker.server.drain().then(() => (isDrained = true));
    await time.arrive();
    expect(caller.problem).toBe('no worker sends heartbeats');
    expect(await endOf(ask('echo', { queueMs: 500 }))).toMatchObject({ kind: 'overloaded' });
    expect(isDrained).toBe(false);
    running.call.cancel();
    await time.arrive();
    expect(isDrained).toBe(true);
  });

  test('stop the calls of a caller that vanishes', async () => {
    const { calls } = await start(silent);
    await accepted(ask('silent'));
    // Closes the connection as a dying process does: no cancel is sent.
    await bus.calls.close();
    expect(await time.until(() => calls[0]?.signal.aborted === true)).toBeLessThanOrEqual(3_000);
  });
});

test('a restart of NATS ends a delivered response in an error, and the next call works', async () => {
  const worker: LocalWorker = await start(byModel);
  const delivered = ask('slow');
  await accepted(delivered);
  await nats.restart();
  await vi.waitFor(() => expect(delivered.end).toMatchObject({ type: 'error', kind: 'upstream' }));
  for (const each of [bus, worker.bus]) await vi.waitFor(() => expect(each.connected()).toBe(true));
  expect((await endOf(ask('echo')))?.type).toBe('finish');
});
