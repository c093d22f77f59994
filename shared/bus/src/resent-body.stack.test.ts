import type { GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Call, Caller, maxLosses, type ServedCall } from './index.ts';
import { startWorker } from './testing/local-worker.ts';
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

/** A worker that reads the first piece of each body and no other. */
const startReader = () =>
  startWorker(time, nats.url, async call => {
    for await (const _ of call.incoming?.bytes() ?? []) await new Promise(() => {});
  });

/** Reads a body to its end, and answers with its length. */
async function count(call: ServedCall): Promise<void> {
  let bytes = 0;
  for await (const piece of call.incoming?.bytes() ?? []) bytes += piece.length;
  call.send([
    { type: 'verbatim', bytes: Buffer.from(String(bytes)) },
    { type: 'finish', reason: 'stop', raw: 'stop', usage: null },
  ]);
}

/** A repeatable body of thirty pieces, with the number of reads that were started and that have ended. */
function readAgain() {
  const read = { begun: 0, over: 0 };
  async function* body() {
    read.begun++;
    try {
      for (let i = 0; i < 30; i++) yield Buffer.alloc(100_000, i);
    } finally {
      read.over++;
    }
  }
  return { read, body };
}

/** Makes a call, and makes it again if its worker is lost. */
function ask(body: () => AsyncIterable<Uint8Array>) {
  const events: GenerateEvent[] = [];
  const envelope = testEnvelope({ operation: 'transcribe', format: 'transcriptions' });
  const open = (lossesLeft: number): Call =>
    caller.call({
      pool: 'default',
      envelope,
      body,
      queueMs: 60_000,
      lossesLeft,
      onEvents: more => void events.push(...more),
      onLost() {
        call = open(lossesLeft - call.losses);
      },
    });
  let call = open(maxLosses);
  const end = () => time.until(() => call.done);
  return { cancel: () => call.cancel(), events, end };
}

test('a repeatable body is sent from its start to a second worker', async () => {
  const first = await startReader();
  const { read, body } = readAgain();
  const answer = ask(body);
  await time.until(() => first.calls.length === 1);
  await startWorker(time, nats.url, count);
  await first.kill();
  await answer.end();
  expect(answer.events).toMatchObject([{ bytes: Buffer.from('3000000') }, { type: 'finish' }]);
  expect(read).toEqual({ begun: 2, over: 2 });
});

test('a repeatable body of a cancelled call is read no further', async () => {
  const worker = await startReader();
  const { read, body } = readAgain();
  const answer = ask(body);
  await time.until(() => worker.calls.length === 1);
  expect(read).toEqual({ begun: 1, over: 0 });
  answer.cancel();
  await time.arrive();
  expect(read).toEqual({ begun: 1, over: 1 });
});
