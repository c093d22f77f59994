import { GatewayError, type GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope, testRoute } from '@model-gateway/canonical/testing/envelope';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Bus, Caller, connectBus, Server, subscribe } from './index.ts';
import type { ServedCall } from './served-call.ts';
import { callSubject, replySubject, workerSubject } from './subjects.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';

let nats: NatsServer;
let bus: Bus;
let caller: Caller;
let server: Server | undefined;
const faults: [place: string, thrown: unknown][] = [];
beforeEach(async () => {
  nats = await startNats();
  faults.length = 0;
  bus = await connectBus({
    url: nats.url,
    name: 'test',
    onFault: (place, thrown) => faults.push([place, thrown]),
  });
  caller = await Caller.open(bus);
});
afterEach(async () => {
  server?.close();
  caller.close();
  await bus.close();
  await nats.stop();
});

const finish: GenerateEvent = { type: 'finish', reason: 'stop', raw: null, usage: null };
const boom = new Error('boom');

async function serve(work: (call: ServedCall) => void | Promise<void>): Promise<Server> {
  server = await Server.open(bus, { pool: 'default', capacity: 100, serve: work });
  return server;
}

/** Makes a call, and returns its events; `read` may throw. */
function ask(requestId: string, read: (events: readonly GenerateEvent[]) => void = () => {}) {
  const events: GenerateEvent[] = [];
  caller.call({
    pool: 'default',
    envelope: testEnvelope({ requestId, route: testRoute() }),
    body: Buffer.from('{}'),
    queueMs: 10_000,
    onEvents(batch) {
      events.push(...batch);
      read(batch);
    },
  });
  return events;
}

const types = (events: readonly GenerateEvent[]) => events.map(({ type }) => type);

/** A call that is open while others fail, and goes on afterwards. */
async function victim() {
  const held: ServedCall[] = [];
  const goOn = () => held[0]?.send([{ type: 'start', id: 'x', model: 'm' }]);
  const end = async (events: GenerateEvent[]) => {
    goOn();
    held[0]?.send([finish]);
    await vi.waitFor(() => expect(types(events)).toEqual(['start', 'finish']));
  };
  return { held, end };
}

test.each([
  [
    'throws',
    () => {
      throw boom;
    },
  ],
  ['rejects', () => Promise.reject(boom)],
])(
  'a call that a worker serves by code that %s ends with an error, and no other call notices',
  async (_, fail) => {
    const { held, end } = await victim();
    await serve(call => (call.envelope.requestId === 'victim' ? void held.push(call) : fail()));
    const other = ask('victim');
    await vi.waitFor(() => expect(held).toHaveLength(1));
    const events = ask('bad');
    await vi.waitFor(() => expect(events).toMatchObject([{ type: 'error', kind: 'internal' }]));
    expect(faults).toEqual([['call', boom]]);
    expect(server?.load).toBe(1);
    await end(other);
  },
);

test('a call whose events cannot be read ends with an error, and no other call notices', async () => {
  const { held, end } = await victim();
  await serve(call =>
    call.envelope.requestId === 'victim' ? void held.push(call) : void call.send([finish]),
  );
  const other = ask('victim');
  await vi.waitFor(() => expect(held).toHaveLength(1));
  const events = ask('bad', ([event]) => {
    if (event?.type === 'finish') throw boom;
  });
  await vi.waitFor(() => expect(types(events)).toEqual(['finish', 'error']));
  expect(faults).toEqual([['call', boom]]);
  await end(other);
});

test('a call whose reader throws even at the error ends, and no other call notices', async () => {
  const { held, end } = await victim();
  await serve(call =>
    call.envelope.requestId === 'victim' ? void held.push(call) : void call.send([finish]),
  );
  const other = ask('victim');
  await vi.waitFor(() => expect(held).toHaveLength(1));
  const events = ask('bad', () => {
    throw boom;
  });
  await vi.waitFor(() =>
    expect(faults).toEqual([
      ['call', boom],
      ['call', boom],
    ]),
  );
  expect(types(events)).toEqual(['finish', 'error']);
  await vi.waitFor(() => expect(server?.load).toBe(1));
  await end(other);
});

test('messages that cannot be read reach no call', async () => {
  const { held, end } = await victim();
  const { name } = await serve(call => void held.push(call));
  const other = ask('victim');
  await vi.waitFor(() => expect(held).toHaveLength(1));
  const bytes = [Buffer.from([1, 2, 3]), Buffer.from('{'), Buffer.alloc(40, 255), Buffer.alloc(40)];
  for (const data of bytes)
    for (const subject of [workerSubject(name), callSubject('default')])
      bus.calls.publish(subject, data, { reply: replySubject('default', 'test', 'nobody') });
  await bus.calls.flush();
  await end(other);
  expect(faults.every(([place]) => place === 'subscription' || place === 'call')).toBe(true);
});

test('what the reader of a subject throws is reported, and the next message is read', async () => {
  const read: string[] = [];
  const subscription = subscribe(bus.state, 'gateway.v1.test', bus.faults, message => {
    read.push(message.string());
    throw boom;
  });
  for (const text of ['one', 'two']) bus.state.publish('gateway.v1.test', text);
  await vi.waitFor(() => expect(read).toEqual(['one', 'two']));
  expect(faults).toEqual([
    ['subscription', boom],
    ['subscription', boom],
  ]);
  subscription.unsubscribe();
});

test('what a timer throws or rejects with is reported', async () => {
  const over = new GatewayError('timeout', 'An error of a client is no fault.');
  for (const fail of [
    () => {
      throw boom;
    },
    async () => {
      throw boom;
    },
    () => {
      throw over;
    },
  ])
    bus.clock.setTimeout(fail, 0);
  await vi.waitFor(() =>
    expect(faults).toEqual([
      ['timer', boom],
      ['timer', boom],
    ]),
  );
});
