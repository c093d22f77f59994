import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectBus } from '@model-gateway/bus';
import { pauseProcess, startOwnNats } from '@model-gateway/bus/testing';
import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import { startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { StoredTime } from '../stack/stored-time.ts';

let stack: Stack;
/** An upstream that records its requests. */
const upstream = {
  body: '',
  output:
    '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA=","odd":98765432109876543210},{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hi","annotations":[]}]}',
  server: createServer(async (request, response) => {
    upstream.body = (await request.toArray()).join('');
    response.setHeader('content-type', 'application/json');
    response.end(
      `{"id":"resp_same","object":"response","odd":9007199254740993,"status":"completed","model":"m","output":[${upstream.output}],"usage":null,"store":false}`,
    );
  }),
};
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let catalog: object;
beforeAll(async () => {
  simulator = await startSimulator();
  await once(upstream.server.listen(0, '127.0.0.1'), 'listening');
  const { port } = upstream.server.address() as AddressInfo;
  catalog = {
    providers: [
      { name: 'echo', kind: 'openai-compatible', api: 'responses', baseUrl: `http://127.0.0.1:${port}` },
      { name: 'chat', kind: 'openai-compatible', baseUrl: `${simulator.url}/v1` },
      { name: 'own', kind: 'openai-compatible', api: 'responses', baseUrl: `${simulator.url}/v1` },
    ],
    models: [
      { name: 'echo', targets: [{ provider: 'echo', model: 'm' }] },
      { name: 'own/*', targets: [{ provider: 'own', model: '*' }] },
      { name: '*', targets: [{ provider: 'chat', model: '*' }] },
    ],
    projects: [{ name: 'secret', storeResponses: false }],
  };
  stack = await startStack({ catalog });
});
afterAll(async () => {
  await stack.stop();
  await simulator.close();
  upstream.server.close();
});

interface Answer {
  id: string;
  status: string;
  store: boolean;
}

function ask(
  path: string,
  { body, at = stack, token = at.token }: { body?: unknown; at?: Stack; token?: string } = {},
) {
  return fetch(`${at.url}/v1/responses${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

async function create(body: unknown, at = stack): Promise<Answer> {
  const response = await ask('', { body, at });
  if (!response.ok) throw new Error(`status ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

const sent = () => simulator.requests.at(-1)?.body ?? '';

// Each 64th turn stores the whole history.
test('a conversation can have 200 turns', async () => {
  const model = 'sim-t1';
  let id: string | undefined;
  for (let i = 0; i < 200; i++) {
    const answer = await create({ model, input: `turn ${i}`, ...(id && { previous_response_id: id }) });
    id = answer.id;
  }
  const said = JSON.parse(sent()).messages.filter(({ role }: { role: string }) => role === 'user');
  expect(
    said.map(({ content }: { content: unknown }) => JSON.stringify(content).match(/turn \d+/)?.[0]),
  ).toEqual(Array.from({ length: 200 }, (_, i) => `turn ${i}`));
});

test('a turn may be larger than a NATS message, in input and output', async () => {
  const large = 'lorem ipsum '.repeat(150_000);
  const first = await create({ model: 'own/sim-t1', input: large });
  const second = await create({ model: 'own/sim-t1', input: large, previous_response_id: first.id });
  await create({ model: 'own/sim-t1', input: 'And now?', previous_response_id: second.id });
  expect(sent().split('lorem ipsum ').length).toBeGreaterThan(300_000);
  const items = await (await ask(`/${first.id}/input_items`)).json();
  expect((items as { data: { content: { text: string }[] }[] }).data[0]?.content[0]?.text).toBe(large);
  const long = await ask('', { body: { model: 'own/sim-t12000-i0ms', input: 'x', stream: true } });
  const text = await long.text();
  expect(text.length).toBeGreaterThan(2_000_000);
  const id = /"id":"(resp_\w+)"/.exec(text)?.[1];
  expect((await (await ask(`/${id}?stream=true`)).text()) === text).toBe(true);
});

test('numbers, unknown fields and reasoning are preserved in a history', async () => {
  const item = '{"type":"message","role":"user","content":"x","odd":12345678901234567890,"a":1e400}';
  await create(`{"model":"echo","input":[${item}]}`).then(({ id }) =>
    create({ model: 'echo', input: 'More', previous_response_id: id }),
  );
  expect(upstream.body).toContain(`[${item},${upstream.output},`);
  expect(upstream.body).toContain('"store":false');
  expect(upstream.body).not.toContain('previous_response_id');
  const { id } = await create(`{"model":"echo","input":[${item}]}`);
  const kept = await (await ask(`/${id}`)).text();
  expect(kept).toContain(`"output":[${upstream.output}]`);
  expect(kept).toContain('"odd":9007199254740993');
  expect(await (await ask(`/${id}/input_items`)).text()).toContain('"odd":12345678901234567890,"a":1e400');
});

test('input items are listed in pages, in either order', async () => {
  const input = Array.from({ length: 45 }, (_, i) => ({ role: 'user', content: `item ${i}` }));
  const { id } = await create({ model: 'sim-fast', input });
  const page = async (query: string) =>
    (await (await ask(`/${id}/input_items?${query}`)).json()) as {
      data: { id: string; content: { text: string }[] }[];
      has_more: boolean;
      last_id: string;
    };
  const texts: (string | undefined)[] = [];
  for (let after = ''; ; ) {
    const { data, has_more, last_id } = await page(`order=asc&limit=20${after && `&after=${after}`}`);
    texts.push(...data.map(({ content }) => content[0]?.text));
    if (!has_more) break;
    after = last_id;
  }
  expect(texts).toEqual(input.map(({ content }) => content));
  expect((await page('limit=1')).data[0]?.content[0]?.text).toBe('item 44');
  for (const query of ['limit=0', 'limit=101', 'order=up', 'after=nobody'])
    expect((await ask(`/${id}/input_items?${query}`)).status).toBe(400);
});

test('a project that stores no responses cannot read one', async () => {
  const token = await stack.addToken({ id: 'secret', project: 'secret' });
  const response = await ask('', { body: { model: 'sim-fast', input: 'x' }, token });
  const { id, store } = (await response.json()) as Answer;
  expect(store).toBe(false);
  expect((await ask(`/${id}`, { token })).status).toBe(404);
  const later = { model: 'sim-fast', input: 'x', background: true };
  expect((await ask('', { body: later, token })).status).toBe(400);
});

test('a response is gone after its time to live', async () => {
  const brief = await startStack({ catalog, env: { GATEWAY_RESPONSES_TTL: '1s' } });
  onTestFinished(() => brief.stop());
  const { id } = await create({ model: 'sim-fast', input: 'x' }, brief);
  await expect.poll(async () => (await ask(`/${id}`, { at: brief })).status).toBe(404);
});

test('an expired response is gone, and a continued conversation is not', async () => {
  const time = new PassingTime();
  const brief = await startStack({ catalog, env: { GATEWAY_RESPONSES_TTL: '10m' }, time });
  onTestFinished(() => brief.stop());
  const stored = await StoredTime.open(brief, time, 600_000);
  onTestFinished(() => stored.close());
  const say = (input: string, more = {}) => time.during(create({ model: 'sim-fast', input, ...more }, brief));
  const kept = await say('The first word is Alpha.');
  let { id } = kept;
  for (let i = 0; i < 8; i++) {
    await stored.pass(90_000);
    ({ id } = await say(`Again ${i}`, { previous_response_id: id }));
  }
  expect(sent()).toContain('Alpha');
  expect(sent()).toContain('Again 0');
  expect((await ask(`/${kept.id}`, { at: brief })).status).toBe(404);
  expect((await ask(`/${id}`, { at: brief })).status).toBe(200);
});

test('a conversation contains the turns of every response, and outlives them', async () => {
  const at = async (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') => {
    const response = await fetch(`${stack.url}/v1/conversations${path}`, {
      method,
      headers: { authorization: `Bearer ${stack.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const items = [{ type: 'message', role: 'user', content: 'My name is Ada.' }];
  const { body: made } = await at('', { items, metadata: { topic: 'names' } });
  expect(made).toMatchObject({ object: 'conversation', metadata: { topic: 'names' } });
  const id = String(made.id);
  const first = await create({ model: 'sim-fast', input: 'First', conversation: id });
  expect(first).toMatchObject({ conversation: { id }, store: true });
  await fetch(`${stack.url}/v1/responses/${first.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${stack.token}` },
  });
  const inputs = Array.from({ length: 5 }, (_, i) => `Side by side ${i}`);
  await Promise.all(inputs.map(input => create({ model: 'sim-fast', input, conversation: { id } })));
  await create({ model: 'sim-fast', input: 'Last', conversation: id });
  for (const text of ['My name is Ada.', 'First', ...inputs]) expect(sent()).toContain(text);
  const listed = (await at(`/${id}/items?limit=100&order=asc`)).body.data as { id: string }[];
  expect(listed).toHaveLength(1 + 2 * 7);
  expect((await at(`/${id}/items/${listed[0]?.id}`)).body).toEqual(listed[0]);
  await at(`/${id}/items`, { items: [{ role: 'user', content: 'By hand' }] });
  expect(JSON.stringify((await at(`/${id}/items`)).body)).toContain('By hand');
  expect((await at(`/${id}`, { metadata: { topic: 'other' } })).body).toMatchObject({
    metadata: { topic: 'other' },
  });
  expect((await at(`/${id}`, undefined, 'DELETE')).body).toMatchObject({ deleted: true });
  expect((await at(`/${id}`)).status).toBe(404);
  const gone = await ask('', { body: { model: 'sim-fast', input: 'x', conversation: id } });
  expect(gone.status).toBe(404);
});

test('an unknown method or id is refused', async () => {
  expect((await ask('/resp_nobody')).status).toBe(404);
  expect((await ask('/a.b%2Fc%3E*')).status).toBe(404);
  expect((await ask('/resp_nobody/cancel', { body: {} })).status).toBe(404);
  expect((await ask('/resp_nobody?stream=true')).status).toBe(404);
  const put = await fetch(`${stack.url}/v1/responses/resp_1`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${stack.token}` },
  });
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, DELETE']);
});

test('a request to store is refused while the store is down, and other requests work', async () => {
  const [nats, time] = [await startOwnNats(), new PassingTime()];
  const own = await startStack({ catalog, nats, time });
  const admin = await connectBus({ url: nats.url, name: 'test' });
  try {
    await admin.state.request('$JS.API.STREAM.DELETE.KEPT');
    const body = { model: 'sim-fast', input: 'x' };
    // The stream is created again, and a response waits for it.
    const asked = async () => {
      const { status, headers } = await time.during(ask('', { body, at: own }), 500);
      return [status, headers.get('retry-after')];
    };
    await expect.poll(asked).toEqual([200, null]);
    await pauseProcess(nats.pid);
    await expect.poll(asked, { timeout: 60_000 }).toEqual([503, '2']);
    const before = simulator.requests.length;
    expect(await asked()).toEqual([503, '2']);
    expect(simulator.requests.length).toBe(before);
    process.kill(nats.pid, 'SIGCONT');
    await vi.waitFor(async () =>
      expect(await time.during(create(body, own), 500)).toMatchObject({ store: true }),
    );
  } finally {
    process.kill(nats.pid, 'SIGCONT');
    await admin.close();
    await own.stop();
  }
});

test('a revoked token ends its background responses', async () => {
  const token = await stack.addToken({ id: 'short', project: 'p' });
  const reader = await stack.addToken({ id: 'reader', project: 'p' });
  const body = { model: 'sim-t1000-i20ms', input: 'x', background: true };
  const { id } = (await (await ask('', { body, token })).json()) as Answer;
  const status = async () => ((await (await ask(`/${id}`, { token: reader })).json()) as Answer).status;
  await expect.poll(status).toBe('in_progress');
  await stack.addToken({ id: 'short', project: 'p', revoked: true }, token);
  await expect.poll(status).toBe('failed');
  await expect.poll(() => simulator.openStreams()).toBe(0);
});
