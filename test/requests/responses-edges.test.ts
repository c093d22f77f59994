import { once } from 'node:events';
import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import { ManualClock } from '@model-gateway/clock/testing';
import { startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { formats, providersAt } from '../stack/formats.ts';
import { type Stack, startStack } from '../stack/stack.ts';
import { StoredTime } from '../stack/stored-time.ts';
import { openSocket, over } from './responses-socket.ts';

/** The time of the simulator: a paced answer waits until a test lets it go on. */
const pace = new ManualClock();
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let stack: Stack;
/** A gateway with a small limit for bodies. */
let small: Stack;
/** The content of gateway.yaml. */
const catalogAt = (url: string) => ({
  providers: providersAt(url),
  models: formats.map(format => ({
    name: `${format}/*`,
    targets: [{ provider: format, model: '*' }],
  })),
  projects: [{ name: 'secret', storeResponses: false }],
});
beforeAll(async () => {
  simulator = await startSimulator({ clock: pace });
  const catalog = catalogAt(simulator.url);
  stack = await startStack({ catalog });
  small = await startStack({ catalog, env: { GATEWAY_BODY_LIMIT: '100000' } });
});
afterAll(async () => {
  await stack.stop();
  await small.stop();
  await simulator.close();
});

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
type Json = any;
interface Got {
  status: number;
  text: string;
  body: Json;
}

interface How {
  body?: unknown;
  at?: Stack;
  token?: string;
}

function request(method: string, path: string, { body, at = stack, token = at.token }: How = {}) {
  return fetch(`${at.url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

async function call(method: string, path: string, how?: How): Promise<Got> {
  const response = await request(method, path, how);
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined };
}

/** One that is known everywhere. */
async function newToken(fields: { id: string; project?: string }): Promise<string> {
  const token = await stack.addToken(fields);
  await vi.waitFor(async () =>
    expect((await call('GET', '/responses/resp_nobody', { token })).status).toBe(404),
  );
  return token;
}

const post = (path: string, body: unknown, more = {}) => call('POST', path, { body, ...more });
const create = async (body: object, more = {}) => {
  const got = await post('/responses', body, more);
  if (got.status !== 200) throw new Error(got.text);
  return got.body;
};
const error = ({ status, body }: Got) => ({ status, param: body.error.param, code: body.error.code });
const idOf = (text: string) => /"id":"(resp_\w+)"/.exec(text)?.[1] ?? '';
const sent = () => simulator.requests.at(-1)?.body ?? '';
const model = 'responses/sim-fast';
/** A model that answers in `slowMs` of the simulator's time. */
const slow = 'responses/sim-t50-i20ms';
const slowMs = 1_000;

/** Lets the answer of `slow` begin once its request is at the simulator. */
async function letBegin(): Promise<void> {
  await vi.waitFor(() => expect(simulator.openStreams()).toBe(1));
  await pace.advance(slowMs / 5);
}

test.each([
  [{ input: [null] }, 'input[0]'],
  [{ input: 5 }, 'input'],
  [{ input: [1] }, 'input[0]'],
  [{ background: 'yes' }, 'background'],
  [{ store: 'no' }, 'store'],
  [{ metadata: { k: 'v'.repeat(513) } }, 'metadata.k'],
  [{ conversation: 'conv_1' }, 'previous_response_id'],
])('an invalid field of a continued request is refused: %j', async (wrong, param) => {
  const { id } = await create({ model, input: 'x' });
  const got = await post('/responses', { model, input: 'x', previous_response_id: id, ...wrong });
  expect(error(got)).toMatchObject({ status: 400, param });
  const alone = await post('/responses', { model, input: [null] });
  expect(error(alone)).toMatchObject({ status: 400, param: 'input[0]' });
});

test('a stored response is invisible to other projects', async () => {
  const kept = await create({ model, input: 'x' });
  const token = await newToken({ id: 'other', project: 'other' });
  for (const body of [
    { input: 'x', previous_response_id: kept.id },
    { input: [{ type: 'item_reference', id: kept.output[0].id }] },
  ])
    for (const path of ['', '/compact', '/input_tokens'])
      expect((await post(`/responses${path}`, { model, ...body }, { token })).status).toBe(400);
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '?stream=true'],
    ['GET', '/input_items'],
    ['POST', '/cancel'],
    ['DELETE', ''],
  ] as const)
    expect((await call(method, `/responses/${kept.id}${path}`, { token })).status).toBe(404);
  const { socket, send, next } = await openSocket(stack, token);
  send({ model, input: 'x', previous_response_id: kept.id });
  expect(await next(/error/)).toMatchObject({ error: { code: 'previous_response_not_found' } });
  socket.close();
  expect((await call('GET', `/responses/${kept.id}`)).body).toEqual(kept);
});

test('a conversation that is too long cannot be continued', async () => {
  const input = 'x'.repeat(60_000);
  const { id } = await create({ model: 'chat/sim-t1', input }, { at: small });
  const got = await post('/responses', { model, input, previous_response_id: id }, { at: small });
  expect(error(got)).toMatchObject({ status: 413 });
});

test('an id that is not of a response is not found', async () => {
  const { body: conversation } = await post('/conversations', { items: [{ role: 'user', content: 'x' }] });
  for (const [method, more] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/cancel'],
    ['GET', '/input_items'],
    ['GET', '?stream=true'],
  ] as const)
    expect((await call(method, `/responses/${conversation.id}${more}`)).status).toBe(404);
  expect((await call('GET', `/conversations/${conversation.id}`)).status).toBe(200);
});

describe('a running foreground stream', () => {
  /** Begins a stream, which `rest` lets go on. */
  async function begin() {
    const asked = request('POST', '/responses', { body: { model: slow, input: 'x', stream: true } });
    await letBegin();
    const response = await asked;
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (!reader) throw new Error('no body');
    const first = (await reader.read()).value ?? '';
    // A sent event is stored a moment later.
    await vi.waitFor(async () => expect((await call('GET', `/responses/${idOf(first)}`)).status).toBe(200));
    const rest = async () => {
      await pace.advance(slowMs);
      let text = first;
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return text;
        text += value;
      }
    };
    return { id: idOf(first), rest };
  }

  test('a running foreground stream can be neither cancelled nor continued', async () => {
    const { id, rest } = await begin();
    expect((await call('GET', `/responses/${id}`)).body).toMatchObject({ id, status: 'in_progress' });
    expect(error(await post(`/responses/${id}/cancel`, {}))).toMatchObject({ status: 400 });
    const next = await post('/responses', { model, input: 'x', previous_response_id: id });
    expect(error(next)).toMatchObject({ status: 400, code: 'previous_response_not_completed' });
    await rest();
    expect((await post('/responses', { model, input: 'x', previous_response_id: id })).status).toBe(200);
  });

  test('a deleted foreground stream is neither read further nor stored at its end', async () => {
    const { id, rest } = await begin();
    const followed = await request('GET', `/responses/${id}?stream=true`);
    expect((await call('DELETE', `/responses/${id}`)).status).toBe(200);
    expect((await call('DELETE', `/responses/${id}`)).status).toBe(404);
    const text = await followed.text();
    expect(text).toMatch(/event: error[\s\S]*deleted[\s\S]*event: response\.failed/);
    const numbers = [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, n]) => Number(n));
    expect(numbers).toEqual(numbers.map((_, i) => i));
    expect(await rest()).toContain('was deleted before it ended');
    expect((await call('GET', `/responses/${id}`)).status).toBe(404);
  });

  test('a running foreground stream can be read by several clients, each from its own event', async () => {
    const { id, rest } = await begin();
    const readers = [-1, 0, 5, 20].map(async after => {
      const query = after < 0 ? '' : `&starting_after=${after}`;
      return { after, text: (await call('GET', `/responses/${id}?stream=true${query}`)).text };
    });
    const all = await rest();
    const events = all.split(/(?<=\n\n)/);
    for (const { after, text } of await Promise.all(readers))
      expect(text).toBe(events.slice(after + 1).join(''));
  });
});

test('listed items can be referenced', async () => {
  const { id } = await create({ model, input: 'My name is Ada.' });
  const { body } = await call('GET', `/responses/${id}/input_items`);
  await create({ model: 'chat/sim-fast', input: [{ type: 'item_reference', id: body.data[0].id }] });
  expect(sent()).toContain('My name is Ada.');
});

describe('conversations', () => {
  const user = (content: string) => ({ type: 'message', role: 'user', content });

  test('items can be added, listed, read and deleted one by one', async () => {
    const { body: made } = await post('/conversations', { items: [user('Alpha'), user('Beta')] });
    await create({ model, input: 'Gamma', conversation: made.id });
    const list = async () =>
      (await call('GET', `/conversations/${made.id}/items?order=asc`)).body.data as Json[];
    const items = await list();
    expect(items).toHaveLength(4);
    const at = `/conversations/${made.id}/items/${items[1].id}`;
    expect((await call('GET', at)).body).toEqual(items[1]);
    expect((await call('DELETE', at)).body).toEqual({ ...made, object: 'conversation' });
    expect((await call('DELETE', at)).status).toBe(404);
    expect((await call('GET', at)).status).toBe(404);
    expect(await list()).toEqual(items.toSpliced(1, 1));
    const { body: added } = await post(`/conversations/${made.id}/items`, { items: [user('Delta')] });
    expect(added.data).toEqual([(await list()).at(-1)]);
    await create({ model, input: 'Last', conversation: made.id });
    for (const word of ['Alpha', 'Gamma', 'Delta', 'Last']) expect(sent()).toContain(word);
    expect(sent()).not.toContain('Beta');
    // Upstreams get the items unchanged.
    expect(sent()).not.toMatch(/_in\d"/);
  });

  test('a conversation of another project is not found', async () => {
    const { body: made } = await post('/conversations', { items: [user('x')] });
    const token = await newToken({ id: 'other', project: 'other' });
    const [item] = (await call('GET', `/conversations/${made.id}/items`)).body.data;
    for (const [method, path, body] of [
      ['GET', ''],
      ['POST', '', { metadata: {} }],
      ['DELETE', ''],
      ['GET', '/items'],
      ['POST', '/items', { items: [user('y')] }],
      ['GET', `/items/${item.id}`],
      ['DELETE', `/items/${item.id}`],
    ] as const)
      expect((await call(method, `/conversations/${made.id}${path}`, { body, token })).status).toBe(404);
    expect((await post('/responses', { model, input: 'x', conversation: made.id }, { token })).status).toBe(
      404,
    );
  });

  test.each([
    ['', { items: Array.from({ length: 21 }, () => user('x')) }, 'items'],
    ['', { items: [{}] }, 'items[0]'],
    ['', { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v'])) }, 'metadata'],
    ['/id', {}, 'metadata'],
    ['/id/items', {}, 'items'],
    ['/id/items', { items: 'x' }, 'items'],
  ])('an invalid body for %s is refused: %j', async (path, body, param) => {
    expect(error(await post(`/conversations${path}`, body))).toMatchObject({ status: 400, param });
  });

  test('concurrent changes of a conversation all take effect', async () => {
    const { body: made } = await post('/conversations', {});
    const changes = Array.from({ length: 8 }, (_, i) =>
      i % 2 === 0
        ? post(`/conversations/${made.id}`, { metadata: { i: String(i) } })
        : post(`/conversations/${made.id}/items`, { items: [user(`n${i}`)] }),
    );
    expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(changes.map(() => 200));
    expect((await call('GET', `/conversations/${made.id}/items`)).body.data).toHaveLength(4);
  });

  test("a conversation's items live as long as the conversation", async () => {
    const time = new PassingTime();
    const at = await startStack({
      catalog: catalogAt(simulator.url),
      env: { GATEWAY_RESPONSES_TTL: '10m' },
      time,
    });
    onTestFinished(() => at.stop());
    const stored = await StoredTime.open(at, time, 600_000);
    onTestFinished(() => stored.close());
    const { body: made } = await post('/conversations', { items: [user('Alpha')] }, { at });
    for (let i = 0; i < 8; i++) {
      await stored.pass(90_000);
      const { status } = await post(`/conversations/${made.id}`, { metadata: { i: String(i) } }, { at });
      expect(status).toBe(200);
    }
    const items = () => call('GET', `/conversations/${made.id}/items`, { at });
    expect((await items()).text).toContain('Alpha');
    await stored.pass(601_000);
    expect((await items()).status).toBe(404);
  });

  test('a project that stores no responses has no conversations', async () => {
    const token = await newToken({ id: 'secret', project: 'secret' });
    expect((await post('/conversations', { items: [user('x')] }, { token })).status).toBe(403);
  });
});

describe.each(formats.filter(format => format !== 'responses'))(
  'compaction with an upstream of %s',
  format => {
    const model = `${format}/sim-fast`;

    test('a compaction item returns a summary, and the conversation continues from it', async () => {
      const input = [{ role: 'user', content: 'My name is Ada.' }, { type: 'compaction_trigger' }];
      const whole = await create({ model, input });
      expect(whole).toMatchObject({ status: 'completed', output: [{ type: 'compaction' }] });
      expect(sent()).toContain('Summarize the conversation so far');
      const streamed = await post('/responses', { model, input, stream: true, store: false });
      const done = /^data: (.*"type":"response.output_item.done".*)$/m.exec(streamed.text)?.[1] ?? '{}';
      const { item } = JSON.parse(done);
      expect(item).toMatchObject({
        type: 'compaction',
        encrypted_content: whole.output[0].encrypted_content,
      });
      await create({ model, input: [item, { role: 'user', content: 'Who am I?' }], store: false });
      expect(sent()).toContain('The conversation so far, in a summary');
      // Summarized turns are not sent again.
      await create({ model, input: 'Who am I?', previous_response_id: whole.id });
      expect(sent()).toContain('The conversation so far, in a summary');
      expect(sent()).not.toContain('"My name is Ada."');
      expect(sent()).not.toContain('Write the summary alone.');
    });

    test('a compaction of an empty input is refused', async () => {
      expect(error(await post('/responses/compact', { model }))).toMatchObject({
        status: 400,
        param: 'input',
      });
    });
  },
);

describe('responses over a WebSocket', () => {
  test('a stored turn after turns that are not stored can be continued from another connection', async () => {
    const { socket, send, next } = await openSocket(stack);
    send({ model, input: 'My name is Ada.', store: false });
    const first = await next(over);
    send({ model, input: 'And I am 36.', store: false, previous_response_id: first.response?.id });
    const second = await next(over);
    send({ model, input: 'More', previous_response_id: second.response?.id });
    const third = await next(over);
    socket.close();
    const { status } = await post('/responses', {
      model,
      input: 'Who am I?',
      previous_response_id: third.response?.id,
    });
    expect(status).toBe(200);
    for (const text of ['My name is Ada.', 'And I am 36.', 'More', 'Who am I?'])
      expect(sent()).toContain(text);
  });

  test('a summary ends the turns before it', async () => {
    const { socket, send, next } = await openSocket(stack);
    send({ model: 'chat/sim-fast', input: 'My name is Ada.', store: false });
    const first = await next(over);
    const input = [{ type: 'compaction_trigger' }];
    send({ model: 'chat/sim-fast', input, store: false, previous_response_id: first.response?.id });
    const summary = await next(over);
    send({ model: 'chat/sim-fast', input: 'More', store: false, previous_response_id: summary.response?.id });
    expect(await next(over)).toMatchObject({ type: 'response.completed' });
    expect(JSON.parse(sent()).messages).toHaveLength(2);
    socket.close();
  });

  test('each lane keeps its order, and no lane waits for another', async () => {
    const { socket, got, send } = await openSocket(stack);
    send({ model: slow, store: false, input: 'a', stream_id: 'one' });
    send({ model, store: false, input: 'b', stream_id: 'one' });
    send({ model, store: false, input: 'c', stream_id: 'two' });
    const ends = () => got.filter(({ type }) => type === 'response.completed').map(event => event.stream_id);
    await vi.waitFor(() => expect(ends()).toEqual(['two']), { timeout: 60_000 });
    await letBegin();
    await pace.advance(slowMs);
    await vi.waitFor(() => expect(ends()).toEqual(['two', 'one', 'one']), { timeout: 60_000 });
    expect(got.every(event => event.stream_id)).toBe(true);
    socket.close();
  });

  test('an invalid frame is answered with an error, and the connection stays open', async () => {
    const { socket, send, next } = await openSocket(stack);
    for (const wrong of ['', 'x', '[]', '{"type":"x"}', '{"type":"response.create","type":"x"}']) {
      socket.send(wrong);
      expect(await next(/error/)).toMatchObject({
        status: 400,
        error: { param: wrong.includes('"type":"x"') ? 'type' : null },
      });
    }
    socket.send(Buffer.from(JSON.stringify({ type: 'response.create', model, input: 'x' })));
    expect(await next(over)).toMatchObject({ type: 'response.completed' });
    send({ model, input: 'x', stream_id: 'a b' });
    expect(await next(/error/)).toMatchObject({ error: { param: 'stream_id' } });
    socket.send('x'.repeat(33_000_000));
    const [code] = await once(socket, 'close');
    expect(code).toBe(1009);
  });

  test('waiting frames may hold as much as one request', async () => {
    const { socket, send, next } = await openSocket(small);
    const input = 'x'.repeat(60_000);
    send({ model: slow, input, store: false, stream_id: 'a' });
    send({ model: slow, input, store: false, stream_id: 'b' });
    expect(await next(/^error$/)).toMatchObject({ status: 429, stream_id: 'b' });
    await letBegin();
    await pace.advance(slowMs);
    expect(await next(over)).toMatchObject({ type: 'response.completed', stream_id: 'a' });
    socket.close();
  });

  test('many requests leave nothing behind', async () => {
    const warnings: Error[] = [];
    const heard = (warning: Error) => warnings.push(warning);
    process.on('warning', heard);
    const { socket, send, next } = await openSocket(stack);
    for (let i = 0; i < 30; i++) {
      send({ model, input: 'x', store: false });
      await next(over);
    }
    socket.close();
    process.off('warning', heard);
    expect(warnings).toEqual([]);
  });

  test('a client that disconnects mid-response closes the upstream', async () => {
    const { socket, send, next } = await openSocket(stack);
    send({ model: slow, input: 'x' });
    await letBegin();
    await next(/delta/);
    expect(simulator.openStreams()).toBe(1);
    socket.terminate();
    await expect.poll(() => simulator.openStreams()).toBe(0);
  });

  test('a connection at its time limit finishes its accepted requests and accepts no more', async () => {
    const limit = { error: { code: 'websocket_connection_limit_reached' } };
    const time = new PassingTime();
    const limited = await startStack({
      catalog: catalogAt(simulator.url),
      env: { GATEWAY_SOCKET_LIMIT: '4s' },
      time,
    });
    onTestFinished(() => limited.stop());
    const { socket, got, closed, send, next } = await openSocket(limited);
    send({ model: slow, input: 'x', store: false, stream_id: 'a' });
    await letBegin();
    await next(/delta/);
    await time.pass(4_000);
    expect(got.some(({ type }) => over.test(type))).toBe(false);
    send({ model, input: 'y', store: false, stream_id: 'b' });
    expect(await next(/^error$/)).toMatchObject({ ...limit, stream_id: 'b' });
    await pace.advance(slowMs);
    expect(await next(over)).toMatchObject({ type: 'response.completed', stream_id: 'a' });
    expect(await next(/^error$/)).toMatchObject(limit);
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([1001, limit.error.code]);
    socket.terminate();
    const idle = await openSocket(limited);
    await time.pass(4_000);
    expect(await idle.next(/^error$/)).toMatchObject(limit);
    expect((await idle.closed)[0]).toBe(1001);
  });

  test('a revoked token closes the connection', async () => {
    const token = await newToken({ id: 'brief' });
    const { closed, send, next } = await openSocket(stack, token);
    send({ model: slow, input: 'x' });
    await letBegin();
    await next(/delta/);
    await stack.addToken({ id: 'brief', revoked: true }, token);
    expect((await closed)[0]).toBe(1008);
    await expect.poll(() => simulator.openStreams()).toBe(0);
  });
});
