import { setImmediate } from 'node:timers/promises';
import { GatewayError } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import type { Connection, Ingress, MessageHandler, Reservation } from '@model-gateway/ingress';
import { sseEvent } from '@model-gateway/sse';
import { expect, test } from 'vitest';
import { Conversation, maxWaiting } from './web-socket.ts';

interface Event {
  type: string;
  stream_id?: string;
  error?: { code: string | null; param: string | null };
}

/** A conversation whose requests run until `end` is called, each of which ends the first one that runs. */
function open() {
  const events: Event[] = [];
  const running: (() => void)[] = [];
  const closed: number[] = [];
  let handler: MessageHandler | undefined;
  const connection = {
    open: true,
    token: { id: 'a' },
    onMessage: (given: MessageHandler) => {
      handler = given;
    },
    onClose: () => () => {},
    send: (text: string) => events.push(JSON.parse(text)),
    close: (code: number) => closed.push(code),
  };
  const held = { share: () => ({ take() {}, release() {} }) };
  const ask: Ingress['ask'] = async (_endpoint, _request, sink) => {
    await new Promise<void>(resolve => running.push(resolve));
    sink.end(sseEvent('{"type":"response.completed"}'));
    return undefined;
  };
  const ingress = { parts: { clock: new ManualClock(), held }, ask };
  new Conversation({
    connection: connection as unknown as Connection,
    ingress: ingress as unknown as Ingress,
    endpointOf: () => ({}) as never,
    connectionMs: 1_000_000,
    waitingBytes: Number.POSITIVE_INFINITY,
  });
  // Each message may take turns of the event loop, one for all of them.
  const settle = async () => {
    for (let i = 0; i < 5 * maxWaiting; i++) await setImmediate();
  };
  const handle = (message: object | string) => {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    return handler?.handle(Buffer.from(text), true, { release() {} } as Reservation);
  };
  return {
    closed,
    refuse: () => handler?.refuse(new GatewayError('rate-limited', 'This token holds too much.')),
    handle,
    /** Handles messages, and returns what was told since the last call. */
    async take(...messages: (object | string)[]) {
      // A connection handles one after another. The last one may wait for a response.
      let handled = Promise.resolve();
      for (const message of messages) handled = handled.then(() => handle(message));
      await settle();
      return told();
    },
    async end() {
      running.shift()?.();
      await settle();
      return told();
    },
  };

  function told(): string[] {
    return events.splice(0).map(({ type, stream_id: lane }) => (lane ? `${lane} ${type}` : type));
  }
}

const create = (lane?: string) => ({ type: 'response.create', input: 'x', ...(lane && { stream_id: lane }) });

test.each([
  { type: 'response.processed', response_id: 'resp_1' },
  { type: 'ping' },
  { type: 'pong' },
  { type: 'heartbeat', stream_id: 'not a lane' },
])('the notice %j is ignored, before, within and after a response', async notice => {
  const { take, end } = open();
  expect(await take(notice)).toEqual([]);
  expect(await take(create(), notice)).toEqual([]);
  expect(await end()).toEqual(['response.completed']);
  expect(await take(notice)).toEqual([]);
});

const refused = [
  { type: 'response.unheard_of' },
  { type: 'response.create', stream_id: 'a b' },
  { type: 'session.update', session: {} },
  {},
  'no JSON',
  '[]',
];

test.each(refused)('%j is refused at once if nothing runs', async message => {
  expect(await open().take(message)).toEqual(['error']);
});

test.each(refused)(
  '%j is refused after the responses before it, and before those after it',
  async message => {
    const { take, end } = open();
    expect(await take(create(), create(), message, create())).toEqual([]);
    expect(await end()).toEqual(['response.completed']);
    expect(await end()).toEqual(['response.completed', 'error']);
    expect(await end()).toEqual(['response.completed']);
  },
);

test('a refusal waits in its own lane', async () => {
  const { take, end } = open();
  const wrong = (lane: string) => ({ type: 'response.unheard_of', stream_id: lane });
  expect(await take(create('a'), wrong('b'), wrong('a'), 'no JSON')).toEqual(['b error', 'error']);
  expect(await end()).toEqual(['a response.completed', 'a error']);
});

test('a request that has no room is refused after those before it', async () => {
  const { take, end } = open();
  expect(await take(...Array.from({ length: maxWaiting + 1 }, () => create()))).toEqual([]);
  for (let i = 1; i < maxWaiting; i++) expect(await end()).toEqual(['response.completed']);
  expect(await end()).toEqual(['response.completed', 'error']);
});

test('no more is read from a client whose refusals pile up, and one that exceeds its share all the same is closed', async () => {
  const { take, handle, refuse, end, closed } = open();
  await take(create());
  await take(...Array.from({ length: maxWaiting - 1 }, () => 'no JSON'));
  let read = false;
  const last = Promise.resolve(handle('no JSON')).then(() => {
    read = true;
  });
  expect(await take()).toEqual([]);
  expect(read).toBe(false);
  refuse();
  expect(closed).toEqual([1013]);
  expect(await end()).toEqual(['response.completed', ...Array.from({ length: maxWaiting }, () => 'error')]);
  await last;
  expect(read).toBe(true);
});
