import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { systemClock } from '@model-gateway/clock';
import { type Listening, listen } from '@model-gateway/service';
import express from 'express';
import { afterEach, expect, test, vi } from 'vitest';
import type { Pace } from '../responder/pace.ts';
import { writePaced } from './write-paced.ts';

let listening: Listening;
afterEach(() => listening.close());

const piece = 'x'.repeat(24 * 1_024);
const fast: Pace = { tokens: null, intervalMs: 0, firstMs: 0 };

/** A server that writes up to `most` pieces and counts them. */
async function pouring(most: number) {
  const state: { taken: number; poured?: Promise<void> } = { taken: 0 };
  function* ticks() {
    while (state.taken++ < most) yield [piece];
  }
  const app = express().use((_request, response) => {
    const flow = { opening: ['start'], ticks: ticks(), closing: ['end'] };
    state.poured = writePaced(response, flow, fast, { clock: systemClock });
  });
  listening = await listen(app, '127.0.0.1', 0);
  const [client] = (await once(get(listening.url), 'response')) as [IncomingMessage];
  client.on('error', () => {});
  return { state, client };
}

/** Waits until no more is written. */
async function stalled(state: { taken: number }): Promise<void> {
  let before = -1;
  await vi.waitFor(
    () => {
      const grew = state.taken > before;
      before = state.taken;
      expect(grew).toBe(false);
    },
    { timeout: 10_000, interval: 200 },
  );
}

// Node 24.22 emits no `drain` event for pieces of one turn if their first part went straight to the network.
test('large pieces are written one by one, and a client that pauses its reads gets all of them', async () => {
  const { state, client } = await pouring(1_000);
  client.pause();
  await stalled(state);
  expect(state.taken).toBeLessThan(1_000);
  let length = 0;
  for await (const chunk of client) length += chunk.length;
  expect(length).toBe('start'.length + 1_000 * piece.length + 'end'.length);
});

test('a client that disconnects while its reads are paused ends the answer', async () => {
  const { state, client } = await pouring(Infinity);
  client.pause();
  await stalled(state);
  const before = state.taken;
  client.destroy();
  await state.poured;
  expect(state.taken).toBeLessThanOrEqual(before + 1);
});
