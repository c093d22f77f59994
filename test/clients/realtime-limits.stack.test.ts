import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { bearer, openRaw, type RawClient, refused, url } from './realtime-client.ts';
import { type ScriptedUpstream, startUpstream } from './realtime-upstream.ts';

const lastsMs = 2_500;
const idleMs = 800;
/** Sessions are checked so often. */
const checkMs = 500;

const time = new PassingTime();
let upstream: ScriptedUpstream;
/** Ends a session that is idle, and after its longest duration. Accepts two sessions. */
let stack: Stack;
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
  const env = {
    GATEWAY_SOCKET_LIMIT: `${lastsMs}ms`,
    GATEWAY_REALTIME_SESSIONS: '2',
    GATEWAY_REALTIME_IDLE: `${idleMs}ms`,
  };
  stack = await startStack({ catalog, env, time });
});
afterAll(async () => {
  await stack.stop();
  await upstream.close();
});
afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.terminate();
  await expect.poll(() => stack.metrics()).toMatch(/gateway_realtime_sessions 0/);
});

async function open(): Promise<RawClient> {
  const client = await openRaw(url(stack.url, 'voice'), bearer(stack.token));
  opened.push(client);
  return client;
}

describe('the time limits of a session', () => {
  test('a session ends after the idle timeout', async () => {
    const client = await open();
    await client.event('session.created');
    await time.pass(idleMs - 50);
    expect(client.events.at(-1)).toMatchObject({ type: 'session.created' });
    await time.pass(checkMs);
    expect(await client.closed).toEqual({ code: 1001, reason: 'idle_timeout' });
    expect(client.events.at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'idle_timeout', event_id: null },
    });
  });

  test('a session ends after its longest duration, which session.created reports', async () => {
    const began = time.clock.now();
    const client = await open();
    const created = await client.event('session.created');
    const { expires_at: expiresAt } = created.session as { expires_at: number };
    expect(expiresAt).toBe(Math.floor((began + lastsMs) / 1_000));
    const talk = () => client.send({ type: 'input_audio_buffer.append', audio: 'AA==' });
    for (let ms = 0; ms < lastsMs - 100; ms += 100) {
      talk();
      await time.pass(100);
    }
    expect(client.events).toHaveLength(1);
    await time.pass(100 + checkMs);
    expect(await client.closed).toEqual({ code: 1001, reason: 'session_expired' });
    expect(client.events.at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'session_expired', message: 'Your session hit the maximum duration of 2.5 seconds.' },
    });
  });
});

test('a process accepts no more sessions than its limit', async () => {
  await open();
  await open();
  const refusal = await refused(url(stack.url, 'voice'), bearer(stack.token));
  expect(refusal).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
});
