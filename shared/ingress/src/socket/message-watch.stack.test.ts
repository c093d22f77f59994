import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { GatewayError } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { MemoryBudget, TokenCount } from '../memory/budgets.ts';
import { paceSeconds } from '../read/body.ts';
import { MessageWatch } from './message-watch.ts';

const limits = { bytesPerSecond: 1_000, ms: 300_000, messagesPerSecond: 200 };

let clock: ManualClock;
let server: Server;
const clients: Socket[] = [];
beforeEach(async () => {
  clock = new ManualClock();
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.closeAllConnections();
  server.close();
});

/** Starts a watched WebSocket and a raw client socket. */
async function open({ ms = limits.ms, share = 1_000_000 } = {}) {
  const receiver = { full: false };
  const held = new MemoryBudget(10_000_000, new TokenCount(share, 'This token has all of its share.'));
  const errors: GatewayError[] = [];
  const sizes: number[] = [];
  const opened = Promise.withResolvers<{ socket: WebSocket; line: Socket; watch: MessageWatch }>();
  server.once('upgrade', (request, line, head) =>
    new WebSocketServer({ noServer: true }).handleUpgrade(request, line, head, socket => {
      const bounds = { ...limits, ms, clock };
      const watch = new MessageWatch(socket, request.socket, bounds, held.share('a'), receiver, error => {
        errors.push(error);
        socket.terminate();
      });
      socket.on('message', data => sizes.push((data as Buffer).length));
      opened.resolve({ socket, line: request.socket, watch });
    }),
  );
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  clients.push(client);
  client.on('error', () => {});
  client.write(
    'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const { socket, line, watch } = await opened.promise;
  /** Sends bytes, and waits until they are read. */
  const send = async (bytes: Buffer) => {
    const until = line.bytesRead + bytes.length;
    client.write(bytes);
    await expect.poll(() => line.bytesRead, { interval: 1 }).toBeGreaterThanOrEqual(until);
  };
  return { client, held, errors, sizes, socket, send, receiver, watch };
}

/** Builds the header of a binary message, masked by zeros. */
function head(payload: number): Buffer {
  const bytes = Buffer.alloc(14);
  bytes.set([0x82, 0xff]);
  bytes.writeBigUInt64BE(BigInt(payload), 2);
  return bytes;
}

const ping = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);

test('a large message is reserved in the share while it arrives, and released when it is complete', async () => {
  const { held, errors, sizes, send } = await open();
  await send(head(500_000));
  await send(Buffer.alloc(50_000));
  expect(held.held).toBe(0);
  await send(Buffer.alloc(400_000));
  expect(held.held).toBeGreaterThanOrEqual(450_000);
  await send(Buffer.alloc(50_000));
  await expect.poll(() => sizes).toEqual([500_000]);
  expect([held.held, errors]).toEqual([0, []]);
});

test('a message larger than the rest of the share fails, and its bytes are released once the connection is closed', async () => {
  const { client, held, errors } = await open({ share: 300_000 });
  const other = held.share('a');
  other.take(200_000);
  client.write(Buffer.concat([head(500_000), Buffer.alloc(150_000)]));
  await expect.poll(() => errors).toMatchObject([{ kind: 'rate-limited' }]);
  await expect.poll(() => held.held).toBe(200_000);
});

test('a message that stops in the middle is too slow even if pings arrive', async () => {
  const { errors, send } = await open();
  await send(Buffer.concat([head(500), Buffer.alloc(10)]));
  for (let i = 1; i < paceSeconds; i++) {
    await send(ping);
    await clock.advance(1_000);
  }
  expect(errors).toEqual([]);
  await clock.advance(1_000);
  expect(errors.map(({ message }) => message)).toEqual([
    'The WebSocket message arrived at less than 1000 bytes/s over 30 s.',
  ]);
});

test('a client that sends only pings, or nothing, may idle', async () => {
  const { errors, send } = await open();
  await send(Buffer.concat([head(3), Buffer.alloc(3), ping]));
  await clock.advance(1_000_000);
  await send(ping.subarray(0, 3));
  await clock.advance(1_000_000);
  expect(errors).toEqual([]);
});

test('a slow message within the limits passes, each message has its own time, and pauses of the gateway do not count', async () => {
  const { errors, sizes, socket, send } = await open({ ms: 60_000 });
  for (let message = 0; message < 2; message++) {
    await send(head(110_000));
    for (let second = 0; second < 55; second++) {
      await send(Buffer.alloc(2_000));
      await clock.advance(1_000);
    }
  }
  await expect.poll(() => sizes).toEqual([110_000, 110_000]);
  await send(head(200_000));
  socket.pause();
  await clock.advance(1_000_000);
  socket.resume();
  for (let second = 0; second < 60; second++) {
    await send(Buffer.alloc(2_000));
    await clock.advance(1_000);
  }
  expect(errors).toEqual([]);
  await clock.advance(1_000);
  expect(errors).toMatchObject([{ kind: 'timeout', details: { code: 'request_timeout' } }]);
  expect(errors[0]?.message).toBe('The WebSocket message was not complete after 60 s.');
});

/** A whole message of so many bytes. */
const message = (size: number) => Buffer.concat([head(size), Buffer.alloc(size)]);

test('a receiver that is full gets no more of the messages that were read with the last one', async () => {
  const { sizes, socket, send, receiver, watch } = await open();
  socket.on('message', () => {
    receiver.full = sizes.length % 3 === 0;
  });
  await send(Buffer.concat([1, 2, 3, 4, 5, 6, 7].map(message)));
  expect(sizes).toEqual([1, 2, 3]);
  watch.goOn();
  expect(sizes).toEqual([1, 2, 3]);
  receiver.full = false;
  watch.goOn();
  expect([sizes, socket.isPaused]).toEqual([[1, 2, 3, 4, 5, 6], true]);
  receiver.full = false;
  watch.goOn();
  expect([sizes.at(-1), socket.isPaused]).toEqual([7, false]);
});

/** A control frame that is not answered. */
const pong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

test('messages and control frames of more than a second are read as time passes, even if they were sent at once', async () => {
  const { client, sizes, socket, send } = await open();
  await send(Buffer.concat(Array.from({ length: 500 }, (_, i) => (i % 2 ? pong : message(1)))));
  expect([sizes.length, socket.isPaused]).toEqual([100, true]);
  await clock.advance(1_000);
  expect(sizes.length).toBe(200);
  await clock.advance(1_000);
  expect([sizes.length, socket.isPaused]).toEqual([250, false]);
  client.write(message(9));
  await expect.poll(() => sizes.at(-1)).toBe(9);
});

test('a client that is being closed is read to its close frame, whatever it sent before', async () => {
  const { client, socket, send, receiver, watch } = await open();
  client.resume();
  receiver.full = true;
  const closed = once(socket, 'close');
  await send(Buffer.concat([message(1), message(2), Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8])]));
  expect(socket.isPaused).toBe(true);
  watch.readAll();
  expect((await closed)[0]).toBe(1000);
});
