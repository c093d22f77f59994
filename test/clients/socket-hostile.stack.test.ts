import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Simulated, startSimulated } from '../stack/simulated.ts';
import { bearer, openRaw, type RawClient, url } from './realtime-client.ts';

/** The time of the simulator, in which the victim's answer goes on, and that of the gateway. */
const pace = new ManualClock();
const time = new PassingTime();
const megabyte = 1_000_000;

let gateway: Simulated;
let victims = '';
const sockets: Socket[] = [];
beforeAll(async () => {
  gateway = await startSimulated(catalogAt, {
    pace,
    time,
    env: { GATEWAY_TOKEN_BODY_BUDGET: String(32 * megabyte), GATEWAY_BODY_RATE: '0' },
  });
  victims = await gateway.stack.addToken({ id: 'victim', project: 'other' });
});
afterAll(async () => {
  // A client that is not read is noticed to be gone at the second ping.
  await time.pass(60_000, 500);
  await gateway?.stop();
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

function catalogAt(at: string) {
  const model = (name: string, there: string) => ({ name, targets: [{ provider: 'chat', model: there }] });
  return {
    providers: [{ name: 'chat', kind: 'openai-compatible', baseUrl: `${at}/v1` }],
    models: [model('text', 'sim-fast'), model('slow', 'sim-t4000-i20ms')],
    projects: [{ name: 'other' }],
  };
}

const soon = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 5 });

/** The stream of another project's token. */
async function openVictim() {
  const leave = new AbortController();
  const response = await fetch(`${gateway.stack.url}/v1/chat/completions`, {
    method: 'POST',
    signal: leave.signal,
    headers: { authorization: `Bearer ${victims}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'slow', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
  });
  expect(response.status).toBe(200);
  let bytes = 0;
  const read = (async () => {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) bytes += chunk.length;
  })().catch(() => {});
  return {
    /** Lets time pass at the upstream, and waits until more of the answer has arrived. */
    async goesOn() {
      const before = bytes;
      await pace.advance(200);
      await soon(() => expect(bytes).toBeGreaterThan(before));
    },
    async leave() {
      leave.abort();
      await read;
    },
  };
}

/** Opens a WebSocket over a raw socket; returns it with the number of times that a text was received. */
async function openLine(path: string) {
  const line = connect(Number(new URL(gateway.stack.url).port), '127.0.0.1');
  sockets.push(line);
  line.on('error', () => {});
  let said = '';
  line.on('data', data => {
    said += data.toString('latin1');
  });
  const lines = [
    ...[`GET ${path} HTTP/1.1`, 'host: gateway', 'connection: upgrade', 'upgrade: websocket'],
    ...['sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version: 13'],
    `authorization: Bearer ${gateway.stack.token}`,
  ];
  line.write(`${lines.join('\r\n')}\r\n\r\n`);
  await soon(() => expect(said).toContain('HTTP/1.1 101'));
  return { line, count: (text: string) => said.split(text).length - 1 };
}

/** A text frame masked by zeros. */
function frame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length]), Buffer.alloc(4), Buffer.from(text)]);
}

test.each([
  ['/v1/responses', '{"type":"x"}', '"type":"error"'],
  ['/v1/realtime?model=text', '{"type":"x"}', '"type":"error"'],
  ['/v1/realtime?model=text', '{"type":"session.update","session":{"type":"realtime"}}', 'session.updated'],
])(
  'of thousands of messages to %s in one write, %s, 200 a second are handled',
  async (path, message, answer) => {
    const victim = await openVictim();
    const lines = await Promise.all([openLine(path), openLine(path)]);
    const flood = Buffer.concat(Array(2_000).fill(frame(message)));
    for (const { line } of lines) line.write(flood);
    const answered = () => lines.map(({ count }) => count(answer));
    await soon(() => expect(answered()).toEqual([200, 200]));
    for (let i = 0; i < 5; i++) await victim.goesOn();
    expect(answered()).toEqual([200, 200]);
    await time.pass(1_000, 100);
    await soon(() => expect(answered()).toEqual([400, 400]));
    await victim.goesOn();
    expect(answered()).toEqual([400, 400]);
    await victim.leave();
  },
);

const create = (id: string, size: number) => ({
  type: 'conversation.item.create',
  item: { id, type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x'.repeat(size) }] },
});

async function openSession(): Promise<RawClient> {
  const { stack } = gateway;
  const client = await openRaw(url(stack.url, 'text'), bearer(stack.token));
  await client.event('session.created');
  return client;
}

/** Waits while time passes at the gateway. */
const eventually = (check: () => void) => time.eventually(check);

test('thousands of references to one item are refused before anything is written', async () => {
  const victim = await openVictim();
  const client = await openSession();
  client.send(create('a', 4 * megabyte));
  await eventually(() => expect(client.events.map(({ type }) => type)).toContain('conversation.item.done'));
  const input = Array(10_000).fill({ type: 'item_reference', id: 'a' });
  for (let i = 0; i < 20; i++)
    client.send({ type: 'response.create', response: { conversation: 'none', input } });
  const errors = () => client.events.flatMap(({ type, error }) => (type === 'error' ? [error] : []));
  await eventually(() => expect(errors()).toHaveLength(20));
  expect(errors()[0]).toMatchObject({ code: 'input_too_large', message: expect.stringContaining('24 MiB') });
  await victim.goesOn();
  client.socket.terminate();
  await victim.leave();
});

test('items that are retrieved by a client that does not read are made one at a time, as it reads', async () => {
  const victim = await openVictim();
  const client = await openSession();
  client.send(create('a', 4 * megabyte));
  await eventually(() => expect(client.events.map(({ type }) => type)).toContain('conversation.item.done'));
  // Together the answers are five times what the token may hold.
  const times = 40;
  const line = (client.socket as unknown as { _socket: Socket })._socket;
  line.pause();
  line.cork();
  for (let i = 0; i < times; i++) client.send({ type: 'conversation.item.retrieve', item_id: 'a' });
  line.uncork();
  for (let i = 0; i < 5; i++) {
    await time.pass(200, 100);
    await victim.goesOn();
  }
  line.resume();
  const of = (type: string) => client.events.filter(event => event.type === type);
  await eventually(() => expect(of('conversation.item.retrieved')).toHaveLength(times));
  expect(of('error')).toEqual([]);
  const closed = once(client.socket, 'close');
  client.socket.close();
  await closed;
  await victim.leave();
});
