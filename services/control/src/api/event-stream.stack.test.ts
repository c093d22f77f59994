import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { ManualClock } from '@model-gateway/clock/testing';
import express from 'express';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EventStream } from './event-stream.ts';

const clock = new ManualClock();
let server: Server;
let client: Socket;
let stream: EventStream;
let response: ServerResponse;
const uncaught: unknown[] = [];
const note = (error: unknown) => uncaught.push(error);

beforeEach(async () => {
  process.on('uncaughtException', note);
  const followed = Promise.withResolvers<void>();
  const app = express().get('/', (_request, made) => {
    response = made;
    stream = new EventStream(made, clock);
    followed.resolve();
  });
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.pause();
  client.write('GET / HTTP/1.1\r\nhost: gateway\r\n\r\n');
  await followed.promise;
});
afterEach(async () => {
  client.destroy();
  server.close();
  await once(server, 'close');
  process.off('uncaughtException', note);
});

test('an ended stream whose client reads nothing gets no more, and is cut off', async () => {
  while (!response.writableNeedDrain || response.writableLength < 512 * 1024) {
    stream.send('changed', { text: 'x'.repeat(64 * 1024) });
    await new Promise(setImmediate);
  }
  response.end();
  stream.addMissed(1);
  stream.send('changed', {});
  for (let pings = 0; pings < 4; pings++) {
    expect(response.destroyed).toBe(false);
    await clock.advance(15_000);
  }
  expect(uncaught).toEqual([]);
  expect(response.destroyed).toBe(true);
});
