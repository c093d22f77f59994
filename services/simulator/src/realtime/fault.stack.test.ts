import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';
import { RealtimeClient, type Seen } from '../testing/realtime-client.ts';

let simulator: StartedSimulator;
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.close());

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
    ['some/fault-429-2s', 429, 'rate_limit_exceeded'],
    ['fault-500', 500, null],
    ['fault-529', 503, 'server_is_overloaded'],
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
});
