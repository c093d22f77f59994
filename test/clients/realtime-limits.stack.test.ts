import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { bearer, openRaw, type RawClient, refused, url } from './realtime-client.ts';
import { type ScriptedUpstream, startUpstream } from './realtime-upstream.ts';

const lastsMs = 2_500;
const idleMs = 800;

let upstream: ScriptedUpstream;
/** Ends a session after its longest duration. */
let stack: Stack;
/** Ends a session that is idle. */
let impatient: Stack;
/** Accepts two sessions. */
let small: Stack;
const opened: RawClient[] = [];
beforeAll(async () => {
  upstream = await startUpstream();
  const provider = {
    name: 'one',
    kind: 'openai',
    baseUrl: upstream.baseUrl,
    apiKey: { value: 'sk-upstream' },
  };
  const catalog = {
    providers: [provider],
    models: [{ name: 'voice', targets: [{ provider: 'one', model: 'gpt-realtime' }] }],
  };
  stack = await startStack({ catalog, env: { GATEWAY_SOCKET_LIMIT: `${lastsMs}ms` } });
  small = await startStack({ catalog, env: { GATEWAY_REALTIME_SESSIONS: '2' } });
  impatient = await startStack({ catalog, env: { GATEWAY_REALTIME_IDLE: `${idleMs}ms` } });
});
afterAll(async () => {
  await stack.stop();
  await impatient.stop();
  await small.stop();
  await upstream.close();
});
afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.terminate();
  for (const { metrics } of [stack, small])
    await expect.poll(() => metrics()).toMatch(/gateway_realtime_sessions 0/);
});

async function open(at = stack): Promise<RawClient> {
  const client = await openRaw(url(at.url, 'voice'), bearer(at.token));
  opened.push(client);
  return client;
}

describe('the time limits of a session', () => {
  test('a session ends after the idle timeout', async () => {
    const began = performance.now();
    const client = await open(impatient);
    expect(await client.closed).toEqual({ code: 1001, reason: 'idle_timeout' });
    expect(client.events.at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'idle_timeout', event_id: null },
    });
    expect(performance.now() - began).toBeGreaterThan(idleMs - 50);
  });

  test('a session ends after its longest duration, which session.created reports', async () => {
    const began = Date.now();
    const client = await open();
    const created = await client.event('session.created');
    const { expires_at: expiresAt } = created.session as { expires_at: number };
    expect(expiresAt).toBeLessThanOrEqual((Date.now() + lastsMs) / 1_000);
    const talking = setInterval(() => client.send({ type: 'input_audio_buffer.append', audio: 'AA==' }), 100);
    expect(await client.closed).toEqual({ code: 1001, reason: 'session_expired' });
    clearInterval(talking);
    expect(Date.now() - began).toBeGreaterThan(lastsMs - 50);
    expect(client.events.at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'session_expired', message: 'Your session hit the maximum duration of 2.5 seconds.' },
    });
  });
});

test('a process accepts no more sessions than its limit', async () => {
  await open(small);
  await open(small);
  const refusal = await refused(url(small.url, 'voice'), bearer(small.token));
  expect(refusal).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
});
