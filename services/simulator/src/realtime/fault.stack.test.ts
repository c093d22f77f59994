import type { ManualClock } from '@model-gateway/clock/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type StartedSimulator, startSimulator } from '../service.ts';
import { RealtimeClient, type Seen } from '../testing/realtime-client.ts';
import { atStandstill, pass, waiting } from '../testing/standstill.ts';

let simulator: StartedSimulator;
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.close());

/** Starts the simulator again, at a time that the test moves. */
async function standStill(): Promise<ManualClock> {
  const started = await atStandstill(simulator);
  simulator = started.simulator;
  return started.clock;
}

const open = (model: string, headers = {}) => RealtimeClient.open(simulator.url, model, { headers });
const stats = async () => (await fetch(`${simulator.url}/stats`)).json();
const deltas = (client: RealtimeClient) =>
  client.seen.filter(({ type }) => type === 'response.output_text.delta').length;

/** A session with a requested response of text. */
async function parsed(model: string): Promise<RealtimeClient> {
  const client = await open(model);
  client.say('What is NATS for?');
  client.send('response.create', { response: { output_modalities: ['text'] } });
  return client;
}

describe('before the upgrade', () => {
  test.each([
    ['fault-400', 400, null],
    ['some/fault-429-2s', 429, 'rate_limit_exceeded'],
    ['fault-500', 500, null],
    ['fault-529', 503, 'server_is_overloaded'],
    ['fault-nonsense', 404, 'model_not_found'],
    ['fault-close-1006', 404, 'model_not_found'],
  ])('%s refuses the upgrade with %i', async (model, status, code) => {
    const error = await open(model).catch(thrown => thrown);
    expect(error.response.statusCode).toBe(status);
    expect(JSON.parse(error.message.replace(/^\d+: /, '')).error).toMatchObject({ code });
    expect(error.response.headers['retry-after']).toBe(status === 429 ? '2' : undefined);
  });

  test('an invalid key, a missing model and an unknown path refuse the upgrade', async () => {
    await expect(open('sim-fast', { authorization: 'Bearer invalid' })).rejects.toThrow(
      /^401.*invalid_api_key/,
    );
    await expect(open('')).rejects.toThrow(/^400.*'model'/);
    const elsewhere = RealtimeClient.open(`${simulator.url}/other`, 'sim-fast');
    await expect(elsewhere).rejects.toThrow(/^404.*unknown_url/);
  });

  test('fault-reset-first resets the connection', async () => {
    await expect(open('fault-reset-first')).rejects.toThrow(/ECONNRESET|hang up/);
  });

  test('fault-hang does not answer the upgrade, and fault-slow delays it', async () => {
    const clock = await standStill();
    const hanging = new WebSocket(`${simulator.url.replace('http', 'ws')}/v1/realtime?model=fault-hang`);
    hanging.on('error', () => {});
    await waiting(clock, 1);
    await clock.advance(3_599_000);
    expect(hanging.readyState).toBe(WebSocket.CONNECTING);
    hanging.terminate();
    await vi.waitFor(async () => expect(await stats()).toMatchObject({ streams: 0, cancelled: 1 }));
    const opening = open('fault-slow-300ms');
    await waiting(clock, 1);
    await pass(clock, 300);
    (await opening).socket.terminate();
  });
});

test('fault-200-error closes the session after an error event', async () => {
  const client = await open('fault-200-error');
  expect(await client.closed).toEqual({ code: 4000, reason: 'server_error.server_error' });
  expect(client.seen.map(({ type }) => type)).toEqual(['error']);
});

describe('in the middle of a response', () => {
  test.each([
    ['fault-truncate', 1000, ''],
    ['fault-close', 1011, 'internal error'],
    ['fault-close-4000', 4000, 'server_error.server_error'],
    ['fault-close-1013-i5ms', 1013, ''],
    ['fault-close-1001', 1001, 'Your session hit the maximum duration of 60 minutes.'],
  ])('%s closes with %i', async (model, code, reason) => {
    const client = await parsed(model);
    expect(await client.closed).toEqual({ code, reason });
    expect(deltas(client)).toBe(5);
    const { error } = client.seen.at(-1) as Seen;
    expect(error?.code).toBe(code === 1001 ? 'session_expired' : undefined);
    await vi.waitFor(async () =>
      expect(await stats()).toMatchObject({ sessions: 0, sessionsLeft: 0, streams: 0, cancelled: 0 }),
    );
    expect(await stats()).toMatchObject({ usage: { output: 0 } });
  });

  test.each(['fault-reset', 'fault-frame'])('%s ends the session with 1006', async model => {
    const client = await parsed(model);
    const { code } = await client.closed;
    expect(code).toBe(1006);
    expect(deltas(client)).toBe(5);
    await vi.waitFor(async () => expect(await stats()).toMatchObject({ sessions: 0, sessionsLeft: 0 }));
  });

  test('fault-stall sends nothing more, and a client that disconnects is counted', async () => {
    const client = await parsed('fault-stall');
    await vi.waitFor(() => expect(deltas(client)).toBe(5));
    client.send('response.cancel');
    await vi.waitFor(() => expect(simulator.requests[0]?.body).toContain('response.cancel'));
    expect(client.seen.at(-1)?.type).toBe('response.output_text.delta');
    expect(await stats()).toMatchObject({ sessions: 1, streams: 1 });
    client.socket.close();
    await vi.waitFor(async () =>
      expect(await stats()).toMatchObject({ sessions: 0, streams: 0, cancelled: 1, sessionsLeft: 1 }),
    );
  });

  test('fault-malformed has half an event among complete events', async () => {
    const client = await parsed('fault-malformed');
    await client.until('response.done');
    expect(client.odd).toEqual([expect.stringMatching(/^\{"type"/)]);
    client.socket.terminate();
  });

  test('fault-binary has a binary message among complete events', async () => {
    const client = await parsed('fault-binary');
    const { response } = await client.next('response.done');
    expect(response.status).toBe('completed');
    expect(client.odd).toEqual([Buffer.alloc(1_000, 7)]);
    client.socket.terminate();
  });

  test('fault-line has a delta of 3 MB, and fault-u2028 an unescaped U+2028', async () => {
    const client = await parsed('fault-line');
    await client.until('response.done');
    const long = client.seen.filter(({ delta }) => delta?.length === 3 * 1024 * 1024);
    expect(long).toHaveLength(1);
    const odd = await parsed('fault-u2028');
    await odd.until('response.done');
    expect(odd.seen.filter(({ delta }) => delta?.includes('\u2028'))).toHaveLength(1);
    for (const { socket } of [client, odd]) socket.terminate();
  });

  test('fault-bytes is a correct answer in frames of one byte', async () => {
    const client = await parsed('fault-bytes-t5');
    expect((await client.next('response.done')).response.status).toBe('completed');
    client.socket.terminate();
  });

  test.each([
    ['fault-error', 5],
    ['fault-error-first', 0],
  ])('%s fails the response after %i deltas, and the session continues', async (model, count) => {
    const client = await parsed(model);
    const { error } = await client.next('error');
    const { response } = await client.next('response.done');
    expect(error).toMatchObject({ type: 'server_error', code: 'server_is_overloaded' });
    expect(response).toMatchObject({ status: 'failed', status_details: { type: 'failed' } });
    expect(deltas(client)).toBe(count);
    client.say('Still there?');
    await client.until('conversation.item.done');
    client.socket.terminate();
  });

  test('fault-no-end ends without response.done', async () => {
    const client = await parsed('fault-no-end');
    await client.until('response.output_item.done');
    client.say('Still there?');
    await client.until('conversation.item.done');
    expect(client.seen.map(({ type }) => type)).not.toContain('response.done');
    client.socket.terminate();
  });
});

test('fault-deaf does not read from the client', async () => {
  const client = await open('fault-deaf');
  const audio = 'A'.repeat(1024 * 1024);
  for (let at = 0; at < 20; at++) client.send('input_audio_buffer.append', { audio });
  // The simulator reads from others meanwhile.
  await (await parsed('sim-fast')).until('response.done');
  expect(client.socket.bufferedAmount).toBeGreaterThan(4 * 1024 * 1024);
  client.socket.terminate();
});
