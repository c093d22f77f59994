import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createSecret } from '@model-gateway/access';
import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ClientOptions, WebSocket } from 'ws';
import { type Stack, startStack } from '../stack/stack.ts';
import { standstill } from '../stack/standstill.ts';
import { bearer, openRaw, type RawClient, refused, url } from './realtime-client.ts';
import { type ScriptedUpstream, startUpstream, type UpstreamSession } from './realtime-upstream.ts';

const origin = 'https://pages.example';
let upstream: ScriptedUpstream;
let other: ScriptedUpstream;
let stack: Stack;
beforeAll(async () => {
  [upstream, other] = await Promise.all([startUpstream(), startUpstream()]);
  stack = await startStack({
    catalog: catalog(),
    env: { GATEWAY_REALTIME_ORIGINS: origin, GATEWAY_REALTIME_MESSAGE: '1000000' },
  });
});
const catalog = () => ({
  providers: [
    {
      name: 'one',
      kind: 'openai',
      baseUrl: upstream.baseUrl,
      apiKey: { value: 'sk-upstream-secret-1' },
      headers: { 'X-Own': 'yes' },
    },
    { name: 'two', kind: 'openai', baseUrl: other.baseUrl, apiKey: { value: 'sk-upstream-secret-2' } },
    // Its key does not rest after a test in which that of the first one is refused.
    {
      name: 'three',
      kind: 'openai',
      baseUrl: upstream.baseUrl,
      apiKey: { value: 'sk-upstream-secret-3' },
    },
  ],
  models: [
    { name: 'voice', targets: [{ provider: 'one', model: 'gpt-realtime' }] },
    {
      name: 'two-voices',
      targets: [
        { provider: 'three', model: 'gpt-realtime' },
        { provider: 'two', model: 'other-voice' },
      ],
      realtime: 'upstream',
    },
  ],
});
afterAll(async () => {
  await stack.stop();
  await Promise.all([upstream.close(), other.close()]);
});

let opened: RawClient[];
beforeEach(() => {
  opened = [];
  upstream.fault = other.fault = undefined;
  upstream.unknown = () => {};
  upstream.asked = other.asked = 0;
});
afterEach(() => {
  for (const { socket } of opened) socket.terminate();
});

async function open(
  model = 'voice',
  options = bearer(stack.token),
  protocols: string[] = [],
): Promise<RawClient> {
  const client = await openRaw(url(stack.url, model), options, protocols);
  opened.push(client);
  return client;
}

const latest = (at = upstream) => at.sessions.at(-1) as UpstreamSession;

describe('accepted clients', () => {
  test('a client connects with a bearer token', async () => {
    const client = await open();
    expect(await client.event('session.created')).toMatchObject({ session: { model: 'voice' } });
    expect(client.socket.protocol).toBe('');
  });

  test('a browser connects with its token as a subprotocol, and only realtime is sent back', async () => {
    const key = `openai-insecure-api-key.${stack.token}`;
    const client = await open('voice', {}, ['realtime', key, 'openai-agents-sdk.0.20']);
    expect(client.socket.protocol).toBe('realtime');
    await client.event('session.created');
    expect(JSON.stringify(latest().headers)).not.toContain(stack.token);
  });

  test('a client secret opens several sessions, with the session that it was made for', async () => {
    const session = { type: 'realtime', model: 'voice', instructions: 'Be brief.' };
    const made = await mint({ expires_after: { anchor: 'created_at', seconds: 60 }, session });
    expect(made.status).toBe(200);
    const { value, expires_at } = made.body;
    expect(value).toMatch(/^ek_[\w-]{40,}$/);
    expect(expires_at - Date.now() / 1_000).toBeCloseTo(60, -1);
    expect(made.body.session).toMatchObject({ object: 'realtime.session', ...session });
    for (const protocols of [[], ['realtime', `openai-insecure-api-key.${value}`]]) {
      const client = await open('voice', protocols.length > 0 ? {} : bearer(value), protocols);
      const created = await client.event('session.created');
      expect(created).toMatchObject({ session: { model: 'voice', instructions: 'Be brief.' } });
      client.say('hello');
      await client.event('response.done');
      expect(client.events.filter(({ type }) => type.startsWith('session.'))).toHaveLength(1);
    }
    expect(latest().received[0]).not.toHaveProperty('session.model');
    expect((await refused(url(stack.url, 'two-voices'), bearer(value))).status).toBe(403);
  });

  test('a client secret is refused once its token is revoked', async () => {
    const secret = createSecret();
    const token = await stack.addToken({ id: 'short' }, secret);
    const { value } = (await mint({ session: { model: 'voice' } }, token)).body;
    const client = await open('voice', bearer(value));
    await client.event('session.created');
    await stack.addToken({ id: 'short', revoked: true }, secret);
    expect(await client.event('error')).toMatchObject({
      error: { code: 'invalid_api_key', message: expect.stringContaining('revoked') },
    });
    expect(await client.closed).toMatchObject({ code: 1008 });
    await vi.waitFor(async () =>
      expect((await refused(url(stack.url, 'voice'), bearer(value))).status).toBe(401),
    );
    expect((await latest().closed).code).toBe(1000);
  });
});

async function mint(body: unknown, token = stack.token) {
  const response = await fetch(`${stack.url}/v1/realtime/client_secrets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: JSON
  return { status: response.status, body: (await response.json()) as any };
}

describe('refused clients', () => {
  test.each([
    ['without a token', {}, 'voice', 401, null],
    ['with a wrong token', { token: 'sk-wrong' }, 'voice', 401, 'invalid_api_key'],
    ['with an unknown client secret', { token: 'ek_wrong' }, 'voice', 401, 'invalid_api_key'],
    ['without a model', {}, undefined, 400, 'missing_required_parameter'],
    ['with an unknown model', {}, 'nothing', 404, 'model_not_found'],
    ['from a foreign page', { origin: 'https://evil.example' }, 'voice', 403, 'origin_not_allowed'],
  ] as const)(
    'a client %s is refused over HTTP',
    async (what, given: { token?: string; origin?: string }, model, status, code) => {
      const token = given.token ?? (what === 'without a token' ? undefined : stack.token);
      const options = { ...(token ? bearer(token) : {}), ...(given.origin && { origin: given.origin }) };
      const refusal = await refused(url(stack.url, model), options);
      expect(refusal).toMatchObject({ status, error: { type: 'invalid_request_error', code } });
      expect(refusal.headers['x-request-id']).toMatch(/^req_/);
    },
  );

  test('a client from an allowed page is accepted', async () => {
    const client = await open('voice', { ...bearer(stack.token), origin });
    await client.event('session.created');
  });

  test('a request without an upgrade is refused over HTTP', async () => {
    const headers = { authorization: `Bearer ${stack.token}` };
    const response = await fetch(`${stack.url}/v1/realtime?model=voice`, { headers });
    expect(response.status).toBe(426);
    expect(await response.json()).toMatchObject({ error: { code: 'upgrade_required' } });
    expect((await fetch(`${stack.url}/v1/realtime?model=voice`)).status).toBe(401);
  });

  test.each([
    [429, { error: { message: 'Slow down.', code: 'rate_limit_exceeded' } }, 429],
    [401, { error: { message: 'Incorrect API key provided: sk-upstream-secret-1.' } }, 502],
    [500, { error: { message: 'broken' } }, 502],
    [404, { error: { message: 'no such model', code: 'model_not_found' } }, 404],
  ])('a client is refused over HTTP if the upstream answers %s', async (status, body, told) => {
    upstream.fault = { status, body, headers: { 'retry-after': '7' } };
    const refusal = await refused(url(stack.url, 'voice'), bearer(stack.token));
    expect(refusal.status).toBe(told);
    expect(JSON.stringify(refusal)).not.toContain('secret');
    if (status === 429) expect(refusal.headers['retry-after']).toBe('7');
    const record = { operation: 'realtime', outcome: 'failed', charged: false, usage: null };
    expect(await stack.recordsOf(refusal.headers['x-request-id'])).toMatchObject([record]);
  });

  test.each([
    ['refuses', { status: 503 }],
    [
      'fails with its first event',
      {
        open: ({ send }: UpstreamSession) =>
          send({ type: 'error', error: { type: 'server_error', code: 'server_error', message: 'no' } }),
      },
    ],
    [
      'closes at once',
      { open: ({ socket }: UpstreamSession) => socket.close(4000, 'invalid_request_error.invalid_api_key') },
    ],
  ])('a client is accepted by the next upstream if the first %s', async (_what, fault) => {
    upstream.fault = fault;
    const client = await open('two-voices');
    expect(await client.event('session.created')).toMatchObject({ session: { model: 'two-voices' } });
    expect(new URL(latest(other).url, 'http://x').searchParams.get('model')).toBe('other-voice');
    expect(upstream.asked).toBe(1);
  });

  test.each([
    ['no model', { session: { type: 'realtime' } }, 400, 'session.model'],
    ['an unknown model', { session: { model: 'nothing' } }, 404, 'session.model'],
    [
      'too long a life',
      { session: { model: 'voice' }, expires_after: { seconds: 7_201 } },
      400,
      'expires_after.seconds',
    ],
    ['another kind of session', { session: { type: 'transcription', model: 'voice' } }, 400, 'session.type'],
  ])('a request for a client secret with %s is refused', async (_what, body, status, param) => {
    expect(await mint(body)).toMatchObject({ status, body: { error: { param } } });
  });
});

describe('a bridged session', () => {
  test('the bridge connects with the provider’s credential and none of the client’s headers', async () => {
    await open('voice', {
      headers: { authorization: `Bearer ${stack.token}`, cookie: 'a=b', 'openai-beta': 'x', 'x-mine': '1' },
    });
    const { url, headers } = latest();
    expect(url).toBe('/v1/realtime?model=gpt-realtime');
    expect(headers).toMatchObject({
      authorization: 'Bearer sk-upstream-secret-1',
      'x-own': 'yes',
      'user-agent': 'model-gateway',
    });
    for (const name of ['cookie', 'openai-beta', 'x-mine', 'origin', 'sec-websocket-protocol'])
      expect(headers).not.toHaveProperty(name);
  });

  test('the bridge completes and records a text turn', async () => {
    const client = await open();
    client.say('hello');
    await client.event('response.done');
    expect(client.events.map(({ type }) => type)).toEqual([
      'session.created',
      'conversation.item.added',
      'conversation.item.done',
      'response.created',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.output_item.done',
      'response.done',
    ]);
    const [record] = await stack.recordsOf(client.requestId);
    expect(record).toMatchObject({
      operation: 'realtime',
      format: 'realtime',
      model: 'voice',
      provider: 'one',
      upstreamModel: 'gpt-realtime',
      outcome: 'answered',
      charged: true,
      usage: { input: 20, cachedInput: 4, audioInput: 5, output: 10, audioOutput: 6 },
    });
  });

  test('the bridge cancels a turn, and records each', async () => {
    const client = await open();
    client.say('hello');
    await client.event('response.done');
    const after = client.events.length;
    client.say('slow');
    await client.event('response.output_text.delta', after);
    client.send({ type: 'response.cancel' });
    expect(await client.event('response.done', after)).toMatchObject({ response: { status: 'cancelled' } });
    const records = await stack.recordsOf(client.requestId, 2);
    expect(records.map(({ outcome }) => outcome)).toEqual(['answered', 'cancelled']);
  });

  test('the bridge passes on unknown events, and upstream errors without secrets', async () => {
    const client = await open();
    upstream.unknown = (session, event) =>
      session.send({
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'No sk-upstream-secret-1 at http://10.0.0.1:99',
          event_id: event.event_id,
        },
      });
    client.send({ type: 'odd.event', event_id: 'mine' });
    const { error } = (await client.event('error')) as unknown as {
      error: { message: string; event_id: string };
    };
    expect(error.event_id).toBe('mine');
    expect(error.message).not.toMatch(/secret|10\.0/);
    client.say('hello');
    await client.event('response.done');
  });

  test('the bridge passes on bytes and text unchanged and in order', async () => {
    const client = await open();
    await client.event('session.created');
    const big =
      '{"type":"conversation.item.create", "item": {"n": 12345678901234567890,"content":[{"text":"é\\u00e9"}]}}';
    const sent: string[] = [];
    latest().socket.on('message', (data, isBinary) =>
      sent.push(isBinary ? `bytes ${String(data)}` : String(data)),
    );
    client.send(big);
    client.socket.send(Buffer.from([1, 2, 3]));
    client.send({ type: 'response.create' });
    await vi.waitFor(() => expect(client.bytes).toHaveLength(1));
    expect(client.bytes[0]).toEqual(Buffer.from([1, 2, 3]));
    await client.event('response.done');
    expect(sent).toEqual([big, 'bytes \u0001\u0002\u0003', '{"type":"response.create"}']);
  });

  test.each([
    [
      'another model',
      { type: 'session.update', event_id: 'e1', session: { model: 'two-voices' } },
      'session.model',
    ],
    [
      'the model’s name at the upstream',
      { type: 'session.update', event_id: 'e1', session: { model: 'gpt-realtime' } },
      'session.model',
    ],
    [
      'another model in a response',
      { type: 'response.create', event_id: 'e1', response: { model: 'gpt-5' } },
      'response.model',
    ],
    [
      'two types',
      '{"type":"input_audio_buffer.append","audio":"AA==","event_id":"e1","type":"session.update","session":{"model":"gpt-5"}}',
      'type',
    ],
    [
      'two sessions',
      '{"type":"session.update","event_id":"e1","session":{"model":"gpt-5","model":"voice"}}',
      'session.model',
    ],
  ])('the bridge refuses %s and continues', async (_what, event, param) => {
    const client = await open();
    await client.event('session.created');
    client.send(event);
    expect(await client.event('error')).toMatchObject({
      error: { type: 'invalid_request_error', param, event_id: 'e1' },
    });
    client.send({ type: 'session.update', session: { type: 'realtime', model: 'voice' } });
    expect(await client.event('session.updated')).toMatchObject({ session: { model: 'voice' } });
    expect(latest().received).toEqual([
      { type: 'session.update', session: { type: 'realtime', model: 'gpt-realtime' } },
    ]);
  });

  test("the bridge uses the beta's names for clients of the beta", async () => {
    const beta = { headers: { authorization: `Bearer ${stack.token}`, 'openai-beta': 'realtime=v1' } };
    const client = await open('voice', beta);
    await client.event('session.created');
    client.send({ type: 'session.update', session: { modalities: ['text'], input_audio_format: 'pcm16' } });
    expect(await client.event('session.updated')).toMatchObject({ session: { modalities: ['text'] } });
    expect(latest().received[0]).toMatchObject({
      session: { type: 'realtime', output_modalities: ['text'] },
    });
    client.say('hello');
    expect(await client.event('response.text.done')).toMatchObject({ text: 'hello' });
  });

  test('the bridge answers invalid JSON with an error event', async () => {
    const client = await open();
    for (const text of ['nonsense', '{"type":"session.update","session":{"model":"gpt-5","n":NaN}}', '[]']) {
      const after = client.events.length;
      client.send(text);
      expect(await client.event('error', after)).toMatchObject({ error: { code: 'invalid_json' } });
    }
    client.say('hello');
    await client.event('response.done');
  });

  test('the bridge passes on the close code and its reason', async () => {
    const client = await open();
    await client.event('session.created');
    const end = { code: 4000, reason: 'invalid_request_error.beta_api_shape_disabled' };
    latest().socket.close(end.code, end.reason);
    expect(await client.closed).toEqual(end);
  });

  test('the bridge reports a lost upstream by an error event and 1011', async () => {
    const client = await open();
    client.say('slow');
    await client.event('response.output_text.delta');
    latest().socket.terminate();
    expect(await client.event('error')).toMatchObject({
      error: { type: 'server_error', code: 'upstream_error' },
    });
    expect(await client.closed).toMatchObject({ code: 1011 });
    const [record] = await stack.recordsOf(client.requestId);
    expect(record).toMatchObject({ outcome: 'failed', charged: true, estimated: true });
    expect(record?.usage).toMatchObject({ input: expect.any(Number), output: expect.any(Number) });
  });

  test.each([
    ['closes', (client: RawClient) => client.socket.close(1000, 'done')],
    ['is gone', (client: RawClient) => client.socket.terminate()],
  ])('the bridge closes the upstream if the client %s', async (_what, leave) => {
    const client = await open();
    client.say('slow');
    await client.event('response.output_text.delta');
    leave(client);
    expect((await latest().closed).code).toBe(1000);
    const [record] = await stack.recordsOf(client.requestId);
    expect(record).toMatchObject({ outcome: 'cancelled', charged: true });
  });

  test('the bridge ends the session with 1009 after a message that is too large', async () => {
    const client = await open();
    await client.event('session.created');
    client.send('x'.repeat(1_000_001));
    expect(await client.closed).toMatchObject({ code: 1009 });
    await latest().closed;
  });
});

describe('pings', () => {
  const pingMs = 20_000;
  const time = new PassingTime();
  let timed: Stack;
  beforeAll(async () => {
    timed = await startStack({ catalog: catalog(), time });
  });
  afterAll(() => timed.stop());

  async function openTimed(options: ClientOptions = {}): Promise<RawClient> {
    const client = await openRaw(url(timed.url, 'voice'), { ...bearer(timed.token), ...options });
    opened.push(client);
    await client.event('session.created');
    return client;
  }

  /** Lets time pass up to the next ping, which is answered meanwhile. */
  const pass = () => time.pass(pingMs, 500);

  test('a client that does not answer pings is disconnected', async () => {
    const client = await openTimed({ autoPong: false });
    await pass();
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    await pass();
    expect((await client.closed).code).toBe(1006);
    expect((await latest().closed).code).toBe(1000);
  });

  test('an upstream that does not answer pings is disconnected', async () => {
    const client = await openTimed();
    const { socket } = latest();
    socket.pause();
    await pass();
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    await pass();
    expect((await client.closed).code).toBe(1011);
    socket.resume();
  });

  test('a client that is kept waiting is not disconnected for missing pongs', async () => {
    const client = await openTimed();
    const pinged = once(client.socket, 'ping');
    await pass();
    await pinged;
    await pass();
    client.say('hello');
    await client.event('response.done');
  });
});

describe('backpressure', () => {
  const text = 'x'.repeat(50_000);
  const count = 1_400;

  /** Floods a socket with numbered events as fast as it accepts them. */
  function flood(socket: WebSocket): { sent(): number; stop(): void } {
    let sent = 0;
    const timer = setInterval(() => {
      while (socket.bufferedAmount < 1_000_000 && sent < count)
        socket.send(JSON.stringify({ type: 'flood', n: sent++, text }));
    }, 5);
    return { sent: () => sent, stop: () => clearInterval(timer) };
  }

  /** Bytes that this process, which contains the whole gateway, holds. A collection releases some of them a moment later. */
  function heldBytes(): number {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    return process.memoryUsage().arrayBuffers;
  }

  const inOrder = (events: readonly unknown[]) =>
    events.every((event, i) => (event as { n: number }).n === i);
  /** The operating system's socket buffers on two hops hold most of the sent bytes. */
  const most = 1_200;
  /** The bytes of one session in the gateway and at both ends of the test. */
  const mostHeld = 4_000_000;

  test('a client that does not read stops its upstream, and gets everything in order later', async () => {
    const client = await open();
    await client.event('session.created');
    client.socket.pause();
    const before = heldBytes();
    const flooding = flood(latest().socket);
    expect(await standstill(flooding.sent)).toBeLessThan(most);
    await expect.poll(() => heldBytes() - before).toBeLessThan(mostHeld);
    client.socket.resume();
    const got = () => client.events.filter(({ type }) => type === 'flood');
    await vi.waitFor(() => expect(got()).toHaveLength(count), 60_000);
    flooding.stop();
    expect(inOrder(got())).toBe(true);
  });

  test('an upstream that does not read stops its client, and gets everything in order later', async () => {
    const client = await open();
    await client.event('session.created');
    const session = latest();
    session.socket.pause();
    const before = heldBytes();
    const flooding = flood(client.socket);
    expect(await standstill(flooding.sent)).toBeLessThan(most);
    await expect.poll(() => heldBytes() - before).toBeLessThan(mostHeld);
    session.socket.resume();
    await vi.waitFor(() => expect(session.received).toHaveLength(count), 60_000);
    flooding.stop();
    expect(inOrder(session.received)).toBe(true);
  });
});
