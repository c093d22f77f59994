import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRaw, url } from '../clients/realtime-client.ts';
import { type ScriptedUpstream, startUpstream } from '../clients/realtime-upstream.ts';
import { Fleet } from './fleet.ts';
import { entriesOf } from './ledger.ts';
import { followRunning, listRunning, namesOf, readStream, streamFormats, untilRunning } from './running.ts';

const slow = 'sim-t3000-i20ms';
const late = 'sim-t20-f20000ms';

let upstream: ScriptedUpstream;
let fleet: Fleet;
beforeAll(async () => {
  upstream = await startUpstream();
  fleet = await Fleet.start({
    fronts: 3,
    catalog: simulator => `providers:
  - { name: sim, kind: openai-compatible, baseUrl: "${simulator}/v1" }
  - { name: claude, kind: anthropic, baseUrl: "${simulator}", apiKey: { value: any } }
  - { name: up, kind: openai, baseUrl: "${upstream.baseUrl}", apiKey: { value: sk-up } }
models:
  - { name: voice, targets: [ { provider: up, model: gpt-realtime } ] }
  - { name: "sim-*", targets: [ { provider: sim, model: "sim-*" } ] }
  - { name: "claude/*", targets: [ { provider: claude, model: "*" } ] }
`,
  });
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await upstream?.close();
});

const end = (id: string) => fleet.admin('DELETE', `/running-requests/${id}`);
/** Asks for the end of a request until every process that may have it has answered; returns all statuses. */
async function endStatuses(id: string): Promise<number[]> {
  const statuses: number[] = [];
  const last = async () => {
    statuses.push((await end(id)).status);
    return statuses.at(-1);
  };
  await expect.poll(last, { timeout: 60_000 }).not.toBe(503);
  return statuses;
}

/** Ends a request. A process that did not answer at first may have ended it nevertheless. */
async function endsNow(id: string): Promise<void> {
  const statuses = await endStatuses(id);
  expect(statuses.length > 1 ? [204, 404] : [204]).toContain(statuses.at(-1));
}

/** Expects that no process has a request. */
async function isGone(id: string): Promise<void> {
  expect((await endStatuses(id)).at(-1)).toBe(404);
}

const front = (i: number) => fleet.fronts[i % fleet.fronts.length]?.url ?? '';

/** Waits until the ledger has an attempt of a request. */
async function attemptOf(id: string) {
  await expect.poll(() => entriesOf(fleet, [id])).toHaveLength(1);
  return (await entriesOf(fleet, [id]))[0];
}

describe.each(streamFormats)('a stream of %s', format => {
  const i = streamFormats.indexOf(format);

  test.each([`${slow}`, `claude/${slow}`])(
    'is listed, followed and ended while it streams from %s',
    async model => {
      const { id: token, token: secret } = await fleet.createToken();
      await using followed = await followRunning(front(2), fleet.adminToken, `token=${token}`);
      const { cancelled } = await fleet.stats();
      const read = readStream(format, front(i), secret, model);
      const request = await untilRunning(fleet, token, ({ state }) => state === 'streaming');
      const provider = model === slow ? 'sim' : 'claude';
      expect(request).toMatchObject({ format, model, stream: true, project: 'default', tokenName: 'test' });
      expect(request).toMatchObject({ provider, upstreamModel: slow, attempts: 1, failovers: 0 });
      expect(request.answerBytes).toBeGreaterThan(0);
      expect(request.client).toBe('127.0.0.1');
      const { requestId } = request;

      const endedAt = performance.now();
      await endsNow(requestId);
      const error = await read;
      // By itself it would end a minute after its start.
      expect(performance.now() - endedAt).toBeLessThan(20_000);
      expect(JSON.stringify(error) + String(error)).toContain('An administrator ended this request.');
      expect(JSON.stringify(error) + String(error)).not.toContain('admin token');
      await expect.poll(async () => (await fleet.stats()).cancelled).toBe(cancelled + 1);
      const attempt = await attemptOf(requestId);
      expect(attempt).toMatchObject({ outcome: 'cancelled', endedBy: 'admin token', charged: true });

      await expect.poll(() => namesOf(followed, requestId).at(-1)).toBe('ended');
      expect(namesOf(followed, requestId)[0]).toBe('started');
      const last = followed.events.at(-1)?.data;
      expect(last?.end).toMatchObject({ status: 499, error: 'cancelled', endedBy: 'admin token' });
      expect(last?.request.firstMs).toBeGreaterThanOrEqual(0);
      expect((await listRunning(fleet, `token=${token}`)).total).toBe(0);
      await isGone(requestId);
    },
  );

  test('is ended before its first token', async () => {
    const { id: token, token: secret } = await fleet.createToken();
    const { cancelled } = await fleet.stats();
    const read = readStream(format, front(i + 1), secret, late);
    const { requestId } = await untilRunning(fleet, token, ({ state }) => state === 'running');
    await endsNow(requestId);
    expect(await read).toMatchObject({ status: 499 });
    await expect.poll(async () => (await fleet.stats()).cancelled).toBe(cancelled + 1);
    expect(await attemptOf(requestId)).toMatchObject({ outcome: 'cancelled', endedBy: 'admin token' });
    // An SDK that took the error for one to retry would have asked again by now.
    expect((await listRunning(fleet, `token=${token}`)).total).toBe(0);
  });
});

test('a whole answer is ended with a status of its own', async () => {
  const { id: token, token: secret } = await fleet.createToken();
  const asked = fetch(`${front(0)}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: late, messages: [{ role: 'user', content: 'What?' }] }),
  });
  const { requestId, stream } = await untilRunning(fleet, token, ({ state }) => state === 'running');
  expect(stream).toBe(false);
  await endsNow(requestId);
  const response = await asked;
  expect([response.status, response.headers.get('x-should-retry')]).toEqual([499, 'false']);
  expect(await response.json()).toEqual({
    error: {
      ...{ message: 'An administrator ended this request.', type: 'server_error' },
      ...{ param: null, code: 'request_ended' },
    },
  });
});

test.each(['voice', slow])('a realtime session with %s is listed, followed and ended', async model => {
  const { id: token, token: secret } = await fleet.createToken();
  await using followed = await followRunning(front(2), fleet.adminToken, `token=${token}`);
  const client = await openRaw(url(front(1), model), { headers: { authorization: `Bearer ${secret}` } });
  const request = await untilRunning(fleet, token, ({ state }) => state === 'streaming');
  expect(request).toMatchObject({ requestId: client.requestId, format: 'realtime', model });
  if (model === slow) {
    client.say('Count.');
    await client.event('response.output_text.delta');
  }
  await endsNow(client.requestId);
  expect(await client.event('error')).toMatchObject({ error: { code: 'request_ended' } });
  expect(await client.closed).toEqual({ code: 1008, reason: 'request_ended' });
  await expect.poll(() => namesOf(followed, client.requestId).at(-1)).toBe('ended');
  if (model === slow)
    expect(await attemptOf(client.requestId)).toMatchObject({
      outcome: 'cancelled',
      endedBy: 'admin token',
    });
  else expect(await upstream.sessions.at(-1)?.closed).toBeDefined();
});

test('a background response is ended, and not tried again', async () => {
  const { id: token, token: secret } = await fleet.createToken();
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${front(2)}/v1/responses${path}`, {
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...init,
    }).then(response => response.json() as Promise<{ id: string; status: string; error: unknown }>);
  const body = JSON.stringify({ model: slow, background: true, input: 'What?' });
  const { id } = await ask('', { method: 'POST', body });
  const request = await untilRunning(fleet, token, ({ state }) => state === 'running');
  expect(request.client).toBe(null);
  await endsNow(request.requestId);
  await expect.poll(async () => (await ask(`/${id}`)).status).toBe('failed');
  expect(await ask(`/${id}`)).toMatchObject({
    error: { code: 'request_ended', message: 'An administrator ended this request.' },
  });
  expect(await attemptOf(request.requestId)).toMatchObject({ endedBy: 'admin token' });
});

test('a process that is killed is named until it is forgotten, and its requests are gone', async () => {
  const { id: token, token: secret } = await fleet.createToken();
  const victim = await fleet.startFront();
  await expect
    .poll(() => fetch(`${victim.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } }))
    .toMatchObject({ status: 200 });
  void readStream('chat', victim.url, secret, slow);
  const { requestId, process } = await untilRunning(fleet, token, ({ state }) => state === 'streaming');
  await victim.kill();
  const listed = async () => {
    const { data, unanswered } = await listRunning(fleet, `token=${token}`);
    return [data, unanswered];
  };
  await expect.poll(listed).toEqual([[], [process]]);
  // Until the process is forgotten, it may have the request.
  await isGone(requestId);
  await expect.poll(async () => (await listRunning(fleet)).unanswered, { timeout: 30_000 }).toEqual([]);
});
