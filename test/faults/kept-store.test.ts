import { connectBus } from '@model-gateway/bus';
import { type OwnNatsServer, startOwnNats } from '@model-gateway/bus/testing';
import { startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type Stack, startStack } from '../stack/stack.ts';

let simulator: Awaited<ReturnType<typeof startSimulator>>;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const start = (env: Record<string, string>, nats?: OwnNatsServer) =>
  startStack({
    catalog: {
      providers: [
        { name: 'own', kind: 'openai-compatible', api: 'responses', baseUrl: `${simulator.url}/v1` },
        { name: 'chat', kind: 'openai-compatible', baseUrl: `${simulator.url}/v1` },
      ],
      models: [
        { name: 'own/*', targets: [{ provider: 'own', model: '*' }] },
        { name: '*', targets: [{ provider: 'chat', model: '*' }] },
      ],
    },
    env,
    ...(nats && { nats }),
  });

function ask(
  at: Stack,
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
  token = at.token,
) {
  return fetch(`${at.url}/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

interface Answer {
  id: string;
  status: string;
  error: { message: string; code: string } | null;
}
const idOf = (text: string) => /"id":"(resp_\w+)"/.exec(text)?.[1] as string;
const numbersOf = (text: string) =>
  [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number));
const question = { model: 'sim-fast', input: 'x' };

/** Fills the room of the kept turns, or of their events, so that not one more byte fits. */
async function fill(at: Stack, stream: 'kept' | 'events' = 'kept'): Promise<void> {
  const bus = await connectBus({ url: at.nats.url, name: 'fill' });
  try {
    for (const size of [200_000, 5_000, 1]) {
      for (let i = 0; ; i++) {
        const subject = `gateway.v1.${stream}.fill.${size}-${i}`;
        const answer = await bus.state.request(subject, Buffer.alloc(size, 'x'), { timeout: 5_000 });
        if (answer.json<{ error?: unknown }>().error) break;
      }
    }
  } finally {
    await bus.close();
  }
}

/** Removes what {@link fill} stored. */
async function empty(at: Stack): Promise<void> {
  const bus = await connectBus({ url: at.nats.url, name: 'empty' });
  await bus.state.request('$JS.API.STREAM.PURGE.KEPT', '{"filter":"gateway.v1.kept.fill.>"}');
  await bus.close();
}

/** Expects an end with an error and a failed response, and no other end. */
function expectFailed(text: string, message: RegExp): void {
  expect(text).toContain('event: error');
  expect(text).toContain('event: response.failed');
  expect(text).not.toMatch(/response\.completed|"status":"completed","error":null|\[DONE\]/);
  expect(text).toMatch(message);
  expect(numbersOf(text)).toEqual(numbersOf(text).map((_, i) => i));
}

describe('a full store', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await start({ GATEWAY_RESPONSES_BYTES: '6000000' });
  });
  afterAll(() => stack.stop());

  test('a project that uses half of the store is refused, and others are not', async () => {
    const greedy = await stack.addToken({ id: 'greedy', project: 'greedy' });
    const post = (path: string, body: unknown, token = greedy) => ask(stack, path, body, 'POST', token);
    const conversation = (await (await post('conversations', {})).json()) as Answer;
    const kept: string[] = [];
    for (;;) {
      const response = await post('responses', { model: 'sim-t1', input: 'y'.repeat(100_000) });
      const body = (await response.json()) as Answer;
      if (response.ok) kept.push(body.id);
      else {
        expect([response.status, response.headers.get('retry-after')]).toEqual([429, '10']);
        expect(body.error?.message).toBe(
          'This project has used its half of the response store: delete responses, wait until they expire, or send "store": false.',
        );
        break;
      }
    }
    for (const more of [{ stream: true }, { background: true }, { background: true, stream: true }])
      expect((await post('responses', { ...question, ...more })).status).toBe(429);
    expect((await post('conversations', {})).status).toBe(429);
    const item = { type: 'message', role: 'user', content: 'x' };
    expect((await post(`conversations/${conversation.id}/items`, { items: [item] })).status).toBe(429);
    expect((await post('responses', { ...question, store: false })).status).toBe(200);
    for (const more of [{}, { stream: true }, { background: true }]) {
      const other = await ask(stack, 'responses', { ...question, ...more });
      expect(other.status).toBe(200);
      await other.text();
    }
    for (const id of kept)
      expect((await ask(stack, `responses/${id}`, undefined, 'DELETE', greedy)).status).toBe(200);
    await vi.waitFor(async () => expect((await post('responses', question)).status).toBe(200), {
      timeout: 5_000,
    });
  });

  test('a full store refuses new stored responses, keeps the old ones, serves the rest, and recovers', async () => {
    const input = 'y'.repeat(100_000);
    const other = await stack.addToken({ id: 'other', project: 'other' });
    // One project can fill at most half of the store.
    for (let status = 200; status === 200; )
      ({ status } = await ask(stack, 'responses', { model: 'sim-t1', input }, 'POST', other));
    const kept: string[] = [];
    for (;;) {
      const response = await ask(stack, 'responses', { model: 'sim-t1', input });
      const body = (await response.json()) as Answer;
      if (!response.ok) {
        expect([response.status, body.error?.code]).toEqual([503, 'store_full']);
        break;
      }
      kept.push(body.id);
    }
    expect(kept.length).toBeGreaterThan(10);
    await vi.waitFor(async () => {
      const before = simulator.requests.length;
      const refused = await ask(stack, 'responses', question);
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1);
      expect(((await refused.json()) as Answer).error?.message).toMatch(/store is full.*"store": false/);
      expect(simulator.requests.length).toBe(before);
    });
    for (const more of [{ stream: true }, { background: true }, { background: true, stream: true }])
      expect((await ask(stack, 'responses', { ...question, ...more })).status).toBe(503);
    expect((await ask(stack, 'conversations', {})).status).toBe(503);
    expect(await overSocket(stack, question)).toMatchObject({ type: 'error', status: 503 });

    expect((await ask(stack, 'responses', { ...question, store: false })).status).toBe(200);
    const streamed = await ask(stack, 'responses', { ...question, store: false, stream: true });
    expect(await streamed.text()).toContain('response.completed');
    expect(await overSocket(stack, { ...question, store: false })).toMatchObject({
      type: 'response.completed',
    });
    const chat = { model: 'sim-fast', messages: [{ role: 'user', content: 'x' }] };
    expect((await ask(stack, 'chat/completions', chat)).status).toBe(200);
    const asOne = { ...question, store: false, previous_response_id: kept.at(-1) };
    expect((await ask(stack, 'responses', asOne)).status).toBe(200);

    for (const id of kept) expect((await ask(stack, `responses/${id}`)).status).toBe(200);
    for (const id of kept.splice(0, 10))
      expect((await ask(stack, `responses/${id}`, undefined, 'DELETE')).status).toBe(200);
    await vi.waitFor(async () => expect((await ask(stack, 'responses', question)).status).toBe(200), {
      timeout: 5_000,
    });
  });
});

/** The last event of an answer over a WebSocket. */
async function overSocket(at: Stack, request: object): Promise<unknown> {
  const socket = new WebSocket(`${at.url.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: `Bearer ${at.token}` },
  });
  try {
    socket.on('open', () => socket.send(JSON.stringify({ type: 'response.create', ...request })));
    return await new Promise((resolve, reject) => {
      socket.on('error', reject);
      socket.on('message', data => {
        const event = JSON.parse(String(data));
        if (/^(error|response\.(completed|failed))$/.test(event.type)) resolve(event);
      });
    });
  } finally {
    socket.close();
  }
}

describe('a store that is full when a response ends', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await start({ GATEWAY_RESPONSES_BYTES: '6000000' });
  });
  afterAll(() => stack.stop());

  test.each(['sim-t50-i20ms', 'own/sim-t50-i20ms'])(
    '%s: a response that cannot be stored at its end is an error, whole and streamed',
    async model => {
      await vi.waitFor(async () => expect((await ask(stack, 'responses', question)).status).toBe(200), {
        timeout: 5_000,
      });
      const body = { model, input: 'x' };
      const answers = Promise.all([
        ask(stack, 'responses', { ...body, stream: true }),
        ask(stack, 'responses', body),
      ]);
      await vi.waitFor(() => expect(simulator.openStreams()).toBeGreaterThan(0));
      await fill(stack);
      const [streamed, whole] = await answers;
      const text = await streamed.text();
      expectFailed(text, /its storage was not confirmed/);
      const id = idOf(text);
      expect(await (await ask(stack, `responses/${id}`)).json()).toMatchObject({ id, status: 'failed' });
      expect(await (await ask(stack, `responses/${id}?stream=true`)).text()).toBe(text);
      expect(whole.status).toBe(503);
      const { error } = (await whole.json()) as Answer;
      expect(error).toMatchObject({
        code: 'store_full',
        message: expect.stringMatching(/its storage was not confirmed/),
      });
      await empty(stack);
    },
    30_000,
  );

  test('a background response waits for room in the store, and asks no upstream meanwhile', async () => {
    await vi.waitFor(async () => expect((await ask(stack, 'responses', question)).status).toBe(200), {
      timeout: 5_000,
    });
    const body = { model: 'sim-t50-i20ms', input: 'x', background: true };
    const { id } = (await (await ask(stack, 'responses', body)).json()) as Answer;
    await vi.waitFor(() => expect(simulator.openStreams()).toBe(1));
    await fill(stack);
    const asked = simulator.requests.length;
    await vi.waitFor(() => expect(simulator.openStreams()).toBe(0));
    await new Promise(resolve => setTimeout(resolve, 3_000));
    expect(simulator.requests.length - asked).toBeLessThan(2);
    expect(await (await ask(stack, `responses/${id}`)).json()).toMatchObject({ status: 'in_progress' });
    await empty(stack);
    const status = async () => ((await (await ask(stack, `responses/${id}`)).json()) as Answer).status;
    await expect.poll(status, { timeout: 20_000 }).toBe('completed');
  });
});

test('a response continues and is stored if its events find no room, and later readers get an error', async () => {
  const stack = await start({ GATEWAY_RESPONSES_BYTES: '6000000' });
  try {
    const response = await ask(stack, 'responses', { model: 'sim-t300-i20ms', input: 'x', stream: true });
    let text = '';
    let isFull = false;
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (isFull || text.split('\n\n').length < 20) continue;
      isFull = true;
      await fill(stack, 'events');
    }
    expect(text).toContain('event: response.completed');
    const id = idOf(text);
    expect(await (await ask(stack, `responses/${id}`)).json()).toMatchObject({ id, status: 'completed' });
    expect((await ask(stack, 'responses', { ...question, stream: true })).status).toBe(503);
    expect((await ask(stack, 'responses', question)).status).toBe(200);
    // A writer of events may be silent for 35 s.
    const again = (await (await ask(stack, `responses/${id}?stream=true`)).text()).replaceAll(
      ': ping\n\n',
      '',
    );
    const shown = again.indexOf('event: error');
    expect(shown).toBeGreaterThan(100);
    expect(again.slice(0, shown)).toBe(text.slice(0, shown));
    expect(again.slice(shown)).toMatch(/not stored/);
    expect(again).not.toContain('response.completed');
  } finally {
    await stack.stop();
  }
});

describe('NATS that is down when a response ends', () => {
  let nats: OwnNatsServer;
  let stack: Stack;
  beforeAll(async () => {
    nats = await startOwnNats();
    stack = await start({}, nats);
  });
  afterAll(() => stack.stop());

  /**
   * Sends a request so large that storing it takes a moment, and calls `lose` in that moment. The request is
   * repeated if the store was not back yet, and if the client had already read the whole answer.
   */
  async function loseAtTheEnd(lose: () => void): Promise<string> {
    const body = { model: 'own/sim-t5', input: 'z'.repeat(25_000_000), stream: true };
    for (;;) {
      const response = await ask(stack, 'responses', body);
      let text = '';
      let lost = false;
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += piece;
        if (lost || !text.includes('response.output_item.done')) continue;
        // Only the last event waits for the store.
        if (text.includes('response.completed')) continue;
        lost = true;
        lose();
      }
      if (lost) return text;
    }
  }

  test('a long outage of NATS at the end of a response is an error for the client', async () => {
    let text: string;
    try {
      text = await loseAtTheEnd(() => process.kill(nats.pid, 'SIGSTOP'));
      expectFailed(text, /its storage was not confirmed/);
    } finally {
      process.kill(nats.pid, 'SIGCONT');
    }
    await vi.waitFor(
      async () => {
        const later = await ask(stack, `responses/${idOf(text)}`);
        expect([later.status, ((await later.json()) as Answer).status]).toEqual([200, 'failed']);
      },
      { timeout: 20_000 },
    );
    // A comment came while NATS was away.
    const events = text.replaceAll(': ping\n\n', '');
    expect(await (await ask(stack, `responses/${idOf(text)}?stream=true`)).text()).toBe(events);
  });

  test('a response waits for a restart of NATS, and is stored', async () => {
    await vi.waitFor(async () => expect((await ask(stack, 'responses', question)).status).toBe(200), {
      timeout: 10_000,
    });
    let back: Promise<void> | undefined;
    const text = await loseAtTheEnd(() => {
      back = nats.restart();
    });
    await back;
    expect(text).toContain('event: response.completed');
    expect(await (await ask(stack, `responses/${idOf(text)}`)).json()).toMatchObject({ status: 'completed' });
  });
});

test("a request's stored parts count as held until its response is over", async () => {
  const stack = await start({ GATEWAY_BODY_BUDGET: '10000000', GATEWAY_TOKEN_BODY_BUDGET: '10000000' });
  try {
    const input = 'y'.repeat(4_000_000);
    const long = { model: 'own/sim-t10000-i20ms', input, stream: true };
    const brief = { model: 'own/sim-t1', input };
    // Another token: each may fill a quarter of the worker's room for bodies.
    const other = await stack.addToken({ id: 'other' });
    const running = await ask(stack, 'responses', long, 'POST', other);
    const reader = running.body?.getReader();
    // From the first event on, the request's body is no longer held.
    await reader?.read();
    await reader?.read();
    expect((await ask(stack, 'responses', { ...brief, store: false })).status).toBe(200);
    const refused = await ask(stack, 'responses', brief);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    await reader?.cancel();
    const isServed = async () => expect((await ask(stack, 'responses', brief)).status).toBe(200);
    await vi.waitFor(isServed, { timeout: 15_000 });
    const smaller = { ...brief, input: 'y'.repeat(2_000_000), background: true, stream: true };
    const later = await ask(stack, 'responses', smaller);
    expect(await later.text()).toContain('response.completed');
    await vi.waitFor(isServed, { timeout: 15_000 });
  } finally {
    await stack.stop();
  }
});
