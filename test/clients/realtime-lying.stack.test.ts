import type { Socket } from 'node:net';
import { queryObjects } from 'node:v8';
import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { RealtimeSession } from '../../services/worker/src/realtime/session.ts';
import { type Stack, startStack } from '../stack/stack.ts';
import { bearer, openRaw, type RawClient, url } from './realtime-client.ts';
import { type ScriptedUpstream, startUpstream, type UpstreamSession } from './realtime-upstream.ts';

const time = new PassingTime();
let upstream: ScriptedUpstream;
let stack: Stack;
const clients: RawClient[] = [];
beforeAll(async () => {
  upstream = await startUpstream();
  stack = await startStack({ catalog: catalog(), time, env: { GATEWAY_ANSWER_BUDGET: '16000000' } });
});
const catalog = () => ({
  providers: [{ name: 'up', kind: 'openai', baseUrl: upstream.baseUrl, apiKey: { value: 'sk-up' } }],
  models: [{ name: 'voice', targets: [{ provider: 'up', model: 'gpt-realtime' }] }],
});
afterAll(async () => {
  await stack.stop();
  await upstream.close();
});
afterEach(() => {
  upstream.fault = undefined;
  for (const { socket } of clients.splice(0)) socket.terminate();
});

/** Opens a session at an upstream that lies once it has said that the session is there. */
async function open(lies: (session: UpstreamSession) => void = () => {}): Promise<RawClient> {
  upstream.fault = {
    open(session) {
      session.send({ type: 'session.created', session: { id: 'sess_1' } });
      lies(session);
    },
  };
  const client = await openRaw(url(stack.url, 'voice'), bearer(stack.token));
  clients.push(client);
  await client.event('session.created');
  return client;
}

const lineOf = ({ socket }: UpstreamSession) => (socket as unknown as { _socket: Socket })._socket;

/** A session of another client goes on. */
async function othersGoOn(): Promise<void> {
  upstream.fault = undefined;
  const client = await openRaw(url(stack.url, 'voice'), bearer(stack.token));
  clients.push(client);
  await client.event('session.created');
  client.say('Hi');
  await client.event('response.done');
}

const odd = [null, 1, -1e308, true, '', 'x', [], [[]], {}, { id: {} }, [{ type: 'message' }]];
const types = [
  'session.created',
  'session.updated',
  'response.created',
  'response.done',
  'error',
  'x.failed',
];

test('events of known types with values of every wrong type are passed on, and the session goes on', async () => {
  const client = await open(session => {
    for (const type of types)
      for (const value of odd) {
        session.send({ type, session: value, response: value, error: value, event_id: value });
        session.send({ type, response: { id: value, status: value, usage: value, status_details: value } });
        session.send({ type, session: { model: value, expires_at: value, client_secret: value } });
      }
    for (const text of ['[]', '1', '"response.done"', '{"type":"response.done","type":1}'])
      session.socket.send(text);
    session.send({ type: 'after' });
  });
  await client.event('after');
  expect(client.events.filter(({ type }) => type === 'error').length).toBeGreaterThanOrEqual(odd.length);
  await othersGoOn();
});

test.each<[string, (session: UpstreamSession) => void, string]>([
  [
    'an event of 5 MB that the gateway has to read',
    session => session.send({ type: 'error', error: { message: 'x'.repeat(5_000_000) } }),
    'larger than 4 MiB',
  ],
  [
    'thousands of messages of one byte in one write',
    // So many that a read holds too many of them, wherever the system cuts them.
    session => void lineOf(session).write(Buffer.concat(Array(40_000).fill(Buffer.from([0x81, 1, 0x31])))),
    'too many messages',
  ],
  [
    'thousands of responses at once',
    session => {
      for (let i = 0; i < 1_000; i++)
        session.send({ type: 'response.created', response: { id: `resp_${i}` } });
    },
    'too many responses',
  ],
  [
    'the end of thousands of responses that it never began',
    session => {
      for (let i = 0; i < 1_000; i++)
        session.send({ type: 'response.done', response: { id: `resp_${i}`, status: 'completed' } });
    },
    'too many responses',
  ],
])('a session ends if its upstream sends %s', async (_what, lies, message) => {
  const client = await open(lies);
  const error = await client.event('error');
  expect(error.error).toMatchObject({ code: 'upstream_error', message: expect.stringContaining(message) });
  expect((await client.closed).code).toBe(1011);
  await othersGoOn();
});

test('the messages of a burst do not wait for each other', async () => {
  // A worker sleeps between the parts of streams, in `Atomics.wait`.
  using sleeps = vi.spyOn(Atomics, 'wait');
  const client = await open(({ socket }) => {
    for (let i = 0; i < 200; i++)
      socket.send(JSON.stringify({ type: 'response.output_text.delta', delta: 'x' }));
    socket.send(JSON.stringify({ type: 'after' }));
  });
  await client.event('after');
  expect(sleeps).not.toHaveBeenCalled();
});

test('messages that do not end are held within the budget of answers', async () => {
  // A text frame of 30 MB, of which 3 MB come.
  const head = Buffer.from([0x81, 127, 0, 0, 0, 0, 0x01, 0xc9, 0xc3, 0x80]);
  const lies = (session: UpstreamSession) =>
    void lineOf(session).write(Buffer.concat([head, Buffer.alloc(3_000_000, 'x')]));
  const all: RawClient[] = [];
  for (let i = 0; i < 4; i++) all.push(await open(lies));
  const error = await Promise.any(all.map(client => client.event('error')));
  expect(error.error).toMatchObject({ message: expect.stringContaining('which is the most') });
  await othersGoOn();
});

test('an upstream that sends on and never closes is disconnected once its client has left', async () => {
  const client = await open();
  const session = upstream.sessions.at(-1) as UpstreamSession;
  const sending = setInterval(() => session.send({ type: 'flood', text: 'x'.repeat(1_000) }), 5);
  // It does not read the close, nor answer it.
  lineOf(session).pause();
  client.socket.terminate();
  await time.pass(5_000, 100);
  lineOf(session).resume();
  const { code } = await session.closed.finally(() => clearInterval(sending));
  expect([1000, 1006]).toContain(code);
  await othersGoOn();
});

test('a worker lets go of a session that has ended, and of what its upstream sent', async () => {
  const held = () => queryObjects(RealtimeSession) as unknown as number;
  const before = held();
  const all = [];
  for (let i = 0; i < 5; i++) all.push({ client: await open(), session: upstream.sessions.at(-1) });
  expect(held()).toBeGreaterThanOrEqual(before + 5);
  for (const { client } of all) client.socket.terminate();
  for (const { session } of all) await session?.closed;
  await time.pass(5_000, 100);
  // The last one may still be on the stack.
  await vi.waitFor(() => expect(held()).toBeLessThanOrEqual(before + 1));
});
