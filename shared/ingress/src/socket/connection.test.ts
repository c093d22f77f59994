import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Faults } from '@model-gateway/bus';
import type { GatewayError } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { MemoryBudget, TokenCount } from '../memory/budgets.ts';
import { Connection, socketPingMs } from './connection.ts';
import { countedFrom } from './message-watch.ts';

/** The library's end of a WebSocket whose client takes nothing until the test says so. */
class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  isPaused = false;
  readonly #taken: (() => void)[] = [];

  send(data: string, _options: object, taken: () => void): void {
    this.bufferedAmount += data.length;
    this.#taken.push(() => {
      this.bufferedAmount -= data.length;
      taken();
    });
  }

  /** The client takes the oldest message. */
  take(): void {
    this.#taken.shift()?.();
  }

  close(): void {
    this.readyState = 2;
  }
  ended = false;
  terminate(): void {
    this.ended = true;
  }

  pings = 0;
  ping(): void {
    this.pings++;
  }
}

function open(share = 1_000_000) {
  const held = new MemoryBudget(10_000_000, new TokenCount(share, 'The share is full.'));
  const socket = new FakeSocket();
  const line = Object.assign(new EventEmitter(), { resume() {} });
  line.on('data', () => {});
  const clock = new ManualClock();
  const request = { socket: line, headers: {}, url: '/' } as unknown as IncomingMessage;
  const identified = { token: { id: 'a' }, tokenHash: '' } as never;
  const connection = new Connection(socket as unknown as WebSocket, request, identified, '', {
    clock,
    faults: new Faults(),
  });
  const errors: GatewayError[] = [];
  connection.onMessage({ handle() {}, refuse: error => errors.push(error) });
  const limits = { bytesPerSecond: 0, ms: 60_000, messagesPerSecond: 200, clock };
  connection.boundMessages(limits, held.share('a'), error => {
    errors.push(error);
    connection.send('the error');
    connection.close(1013);
  });
  return { connection, socket, held, errors, clock };
}

test('what a client has not taken counts for its token from 64 KiB on, until it has taken it', () => {
  const { connection, socket, held, errors } = open();
  connection.send('x'.repeat(countedFrom));
  expect(held.held).toBe(0);
  connection.send('x'.repeat(1_000));
  connection.send('x'.repeat(2_000));
  expect(held.held).toBe(countedFrom + 3_000);
  socket.take();
  socket.take();
  expect(held.held).toBe(0);
  connection.send('x'.repeat(200_000));
  expect(held.held).toBe(202_000);
  socket.emit('close', 1006);
  expect([held.held, errors]).toEqual([0, []]);
});

test("a client that takes nothing is closed with an error once its token's share has no room", () => {
  const { connection, socket, held, errors } = open(300_000);
  held.share('a').take(100_000);
  connection.send('x'.repeat(150_000));
  connection.send('x'.repeat(150_000));
  expect(errors).toMatchObject([{ kind: 'rate-limited', message: 'The share is full.' }]);
  expect([connection.open, held.held]).toEqual([false, 250_000]);
  socket.emit('close', 1013);
  expect(held.held).toBe(100_000);
});

test('a client that is not read is pinged, and need not answer', async () => {
  const { socket, clock } = open();
  socket.isPaused = true;
  await clock.advance(5 * socketPingMs);
  expect([socket.pings, socket.ended]).toEqual([5, false]);
  socket.isPaused = false;
  await clock.advance(2 * socketPingMs);
  expect([socket.pings, socket.ended]).toEqual([6, true]);
});
