import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { bearer, openRaw, type RawClient, url } from '../clients/realtime-client.ts';
import { type ScriptedUpstream, startUpstream, type UpstreamSession } from '../clients/realtime-upstream.ts';
import { until } from '../until.ts';
import { Fleet, type FleetProcess, untilReady } from './fleet.ts';
import { entriesOf } from './ledger.ts';
import { busiest, callsOf } from './questions.ts';

/** The longest time until a client learns that its worker was lost. */
const mostHeardMs = 8_000;
const graceMs = 5_000;

let upstream: ScriptedUpstream;
let fleet: Fleet;
let realtime: FleetProcess;
let opened: RawClient[] = [];
beforeAll(async () => {
  upstream = await startUpstream();
  fleet = await Fleet.start({
    workers: 2,
    env: { GATEWAY_REALTIME_GRACE: `${graceMs}ms` },
    catalog: simulator => `providers:
  - { name: up, kind: openai, baseUrl: "${upstream.baseUrl}", apiKey: { value: sk-up } }
  - { name: sim, kind: openai-compatible, baseUrl: "${simulator}/v1", apiKey: { value: sim } }
models:
  - { name: voice, targets: [ { provider: up, model: gpt-realtime } ] }
  - { name: talker, targets: [ { provider: sim, model: sim-t400-i20ms } ] }
  - { name: thinker, targets: [ { provider: sim, model: sim-t20-f8000ms } ] }
`,
  });
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await upstream?.close();
});

const running = () => fleet.workers.filter(worker => worker.running);

beforeEach(async () => {
  while (running().length < 2) await fleet.startWorker();
  if (!realtime?.running) realtime = await fleet.startRealtime();
  await untilReady(realtime);
});
afterEach(async () => {
  for (const { socket } of opened) socket.terminate();
  opened = [];
  // Waits until no session or call is left.
  await expect.poll(() => Promise.all(running().map(callsOf))).toEqual([0, 0].slice(0, running().length));
});

/** A session with a running response, and the worker that holds it. */
async function talk() {
  const client = await openRaw(url(realtime.url, 'voice'), bearer(fleet.token));
  opened.push(client);
  client.say('slow');
  await client.event('response.output_text.delta');
  const counts = await Promise.all(running().map(callsOf));
  const worker = running()[counts.indexOf(1)] as FleetProcess;
  return { client, worker, session: upstream.sessions.at(-1) as UpstreamSession };
}

const expectRecord = (client: RawClient, wanted: object) =>
  expect.poll(() => entriesOf(fleet, [client.requestId]), { timeout: 30_000 }).toMatchObject([wanted]);

test('a killed worker ends its realtime session with an error event and close code 1011', async () => {
  const { client, worker } = await talk();
  const killedAt = performance.now();
  await worker.kill();
  const { code } = await client.closed;
  expect(performance.now() - killedAt).toBeLessThan(mostHeardMs);
  expect(code).toBe(1011);
  expect(client.events.at(-1)).toMatchObject({
    type: 'error',
    error: {
      type: 'server_error',
      code: 'upstream_error',
      message: expect.stringMatching(/worker was lost/),
    },
  });
  await expectRecord(client, {
    ...{ outcome: 'lost', charged: true, operation: 'realtime' },
    usage: { estimated: true, input: expect.any(Number), output: expect.any(Number) },
  });
  const other = await talk();
  expect(other.worker).not.toBe(worker);
});

/** Waits for the end of a response that takes many seconds, from event `after` on. */
const doneAfter = (client: RawClient, after: number) =>
  vi.waitFor(
    () => {
      const found = client.events.slice(after).find(({ type }) => type === 'response.done');
      if (!found) throw new Error('the response has not ended');
      return found;
    },
    { timeout: 60_000 },
  );

test('a session that the gateway holds goes on after a worker was killed during its response', async () => {
  const client = await openRaw(url(realtime.url, 'talker'), bearer(fleet.token));
  opened.push(client);
  client.say('Tell me a story.');
  await client.event('response.output_text.delta');
  const { worker } = await busiest(running(), 1);
  await worker.kill();
  expect(await doneAfter(client, 0)).toMatchObject({
    response: {
      status: 'failed',
      status_details: { error: { message: expect.stringMatching(/worker was lost/) } },
    },
  });
  const after = client.events.length;
  client.say('Again.');
  expect(await doneAfter(client, after)).toMatchObject({ response: { status: 'completed' } });
  await expect
    .poll(async () => (await entriesOf(fleet, [client.requestId])).map(({ outcome }) => outcome).toSorted(), {
      timeout: 30_000,
    })
    .toEqual(['answered', 'lost']);
});

test('a response of which nothing was sent is made again by another worker', async () => {
  const client = await openRaw(url(realtime.url, 'thinker'), bearer(fleet.token));
  opened.push(client);
  const { requests } = await fleet.stats();
  client.say('Think first.');
  await expect.poll(async () => (await fleet.stats()).requests).toBe(requests + 1);
  const { worker } = await busiest(running(), 1);
  await worker.kill();
  await expect
    .poll(() => client.events.at(-1), { timeout: 30_000 })
    .toMatchObject({ type: 'response.done', response: { status: 'completed' } });
});

/** Opens a session at the provider with a new token of these limits. */
async function limited(limits: object) {
  const { token } = await fleet.createToken({ limits });
  // The realtime process hears of the token from KV, too.
  const client = await vi.waitFor(() => openRaw(url(realtime.url, 'voice'), bearer(token)));
  opened.push(client);
  return { client, session: upstream.sessions.at(-1) as UpstreamSession, token };
}

const rateLimited = { error: { code: 'rate_limit_exceeded', type: 'requests' } };

test('responses of a session at a provider are requests: one over the limit is refused, and the session goes on', async () => {
  const { client, session } = await limited({ requestsPerMinute: 3 });
  for (const text of ['one', 'two']) {
    const after = client.events.length;
    client.say(text);
    await client.event('response.done', after);
  }
  client.send({ type: 'response.create', event_id: 'over' });
  const after = client.events.length;
  expect(await client.event('error')).toMatchObject({
    error: {
      ...rateLimited.error,
      event_id: 'over',
      message: expect.stringMatching(/3 requests per minute/),
    },
  });
  client.send({ type: 'session.update', session: { type: 'realtime', instructions: 'Go on.' } });
  await client.event('session.updated', after);
  const asked = session.received.filter(event => (event as { type: string }).type === 'response.create');
  expect(asked).toHaveLength(2);
});

test('tokens of responses at a provider count, also of those that the provider begins by itself', async () => {
  const { client, session, token } = await limited({ tokensPerMinute: 50 });
  client.say('thirty tokens');
  await client.event('response.done');
  const response = { id: 'resp_by_itself', object: 'realtime.response' };
  session.send({ type: 'response.created', response });
  const usage = { total_tokens: 30, input_tokens: 20, output_tokens: 10 };
  session.send({ type: 'response.done', response: { ...response, status: 'completed', usage } });
  const headers = { authorization: `Bearer ${token}` };
  const ownToken = async () => (await fetch(`${fleet.control.url}/api/v1/token`, { headers })).json();
  await expect.poll(ownToken).toMatchObject({ limitsLeft: [{ limit: 'tokensPerMinute', left: 0 }] });
  client.say('one too many');
  expect((await client.event('error')).error).toMatchObject({
    ...rateLimited.error,
    type: 'tokens',
    message: expect.stringMatching(/limit of 50 tokens per minute\. Retry in/),
  });
});

test("a project's limits hold in a session that is open, once they are set", async () => {
  const { token } = await fleet.createToken({ project: 'voices' });
  const client = await vi.waitFor(() => openRaw(url(realtime.url, 'voice'), bearer(token)));
  opened.push(client);
  client.say('one');
  await client.event('response.done');
  await fleet.admin('PUT', '/projects/voices', { limits: { requestsPerMinute: 1 } });
  // The realtime process hears of the limit from KV. The first response after that counts, and the second one is refused.
  await until('a response is refused', async () => {
    const after = client.events.length;
    client.say('again');
    const ended = () => client.events.slice(after).find(({ type }) => /^(error|response\.done)$/.test(type));
    return (await vi.waitFor(() => ended() ?? Promise.reject(new Error('it goes on')))).type === 'error';
  });
  expect(await client.event('error')).toMatchObject(rateLimited);
});

test('a draining worker keeps its sessions for the grace period, then closes them with 1001', async () => {
  const { client, worker } = await talk();
  const askedAt = performance.now();
  const stopped = worker.stop();
  await expect.poll(async () => (await fetch(`${worker.opsUrl}/readyz`)).status).toBe(503);
  const after = client.events.length;
  client.send({ type: 'response.cancel' });
  expect(await client.event('response.done', after)).toMatchObject({ response: { status: 'cancelled' } });
  const other = await openRaw(url(realtime.url, 'voice'), bearer(fleet.token));
  opened.push(other);
  expect(await client.closed).toEqual({ code: 1001, reason: 'server_shutdown' });
  expect(performance.now() - askedAt).toBeGreaterThan(graceMs - 100);
  expect(client.events.at(-1)).toMatchObject({ type: 'error', error: { code: 'server_shutdown' } });
  expect(await stopped).toBe(0);
  other.say('hello');
  await other.event('response.done');
});

test('a stopped realtime ingress closes its sessions with 1001, and their upstreams', async () => {
  const { client, session } = await talk();
  const stopped = realtime.stop();
  expect(await client.closed).toEqual({ code: 1001, reason: 'server_shutdown' });
  expect(client.events.at(-1)).toMatchObject({ type: 'error', error: { code: 'server_shutdown' } });
  expect((await session.closed).code).toBe(1000);
  expect(await stopped).toBe(0);
  await expectRecord(client, { outcome: 'cancelled', charged: true });
});

test('a killed realtime ingress has its upstreams closed', async () => {
  const { client, session } = await talk();
  const killedAt = performance.now();
  await realtime.kill();
  expect((await client.closed).code).toBe(1006);
  expect((await session.closed).code).toBe(1000);
  expect(performance.now() - killedAt).toBeLessThan(mostHeardMs);
  await expectRecord(client, { outcome: 'cancelled', charged: true });
});

test('killed NATS ends sessions at once with an error event, and new sessions work after its restart', async () => {
  const { client, session } = await talk();
  const killedAt = performance.now();
  const restarted = fleet.nats.restart();
  expect((await client.closed).code).toBe(1011);
  expect(client.events.at(-1)).toMatchObject({ type: 'error', error: { type: 'server_error' } });
  expect((await session.closed).code).toBe(1000);
  expect(performance.now() - killedAt).toBeLessThan(mostHeardMs);
  await restarted;
  await untilReady(realtime);
  const again = await openRaw(url(realtime.url, 'voice'), bearer(fleet.token));
  opened.push(again);
  again.say('hello');
  await again.event('response.done');
});
