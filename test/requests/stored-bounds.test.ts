import { type Bus, connectBus } from '@model-gateway/bus';
import { startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formats, providersAt } from '../stack/formats.ts';
import { type Stack, startStack } from '../stack/stack.ts';

let simulator: Awaited<ReturnType<typeof startSimulator>>;
let stack: Stack;
let nats: Bus;
/** The token of another project than that of `stack.token`. */
let victim: string;
/** The requests to read stored turns that reached NATS. */
let reads: string[] = [];
/** The largest body, in bytes. */
const bodyBytes = 6_000_000;

beforeAll(async () => {
  simulator = await startSimulator();
  const models = formats.map(format => ({
    name: `${format}/*`,
    targets: [{ provider: format, model: '*' }],
  }));
  const env = { GATEWAY_BODY_LIMIT: String(bodyBytes), GATEWAY_TOKEN_BODY_BUDGET: '20000000' };
  stack = await startStack({ catalog: { providers: providersAt(simulator.url), models }, env });
  victim = await stack.addToken({ id: 'victim', project: 'victim' });
  nats = await connectBus({ url: stack.nats.url, name: 'reads' });
  for (const subject of ['$JS.API.STREAM.MSG.GET.KEPT', '$JS.API.DIRECT.GET.KEPT'])
    nats.state.subscribe(subject, { callback: (_, { subject }) => void reads.push(subject) });
  await nats.state.flush();
});
afterAll(async () => {
  await nats.close();
  await stack.stop();
  await simulator.close();
});

interface Got {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  body: any;
}

async function call(method: string, path: string, body?: unknown, token = stack.token): Promise<Got> {
  const response = await fetch(`${stack.url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const model = 'responses/sim-fast';
const post = (path: string, body: unknown, token?: string) => call('POST', path, body, token);

async function made(path: string, body: unknown): Promise<{ id: string; output: { id: string }[] }> {
  const { status, body: answer } = await post(path, body);
  if (status !== 200) throw new Error(JSON.stringify(answer));
  return answer;
}

/** Returns the number of reads that `work` made, and its result. */
async function readsOf<T>(work: () => Promise<T>): Promise<[number, T]> {
  await nats.state.flush();
  reads = [];
  const result = await work();
  await nats.state.flush();
  return [reads.length, result];
}

/** Runs an attack while the victim stores, continues and reads a response. */
async function besideVictim<T>(attack: Promise<T>[]): Promise<T[]> {
  for (let i = 0; i < 3; i++) {
    const { status, body } = await post('/responses', { model, input: 'Hi' }, victim);
    expect(status, JSON.stringify(body)).toBe(200);
    const next = { model, input: 'And?', previous_response_id: body.id };
    expect((await post('/responses', next, victim)).status).toBe(200);
    expect((await call('GET', `/responses/${body.id}`, undefined, victim)).status).toBe(200);
  }
  return Promise.all(attack);
}

const text = (bytes: number) => 'lorem ipsum '.repeat(Math.ceil(bytes / 12)).slice(0, bytes);
const message = (bytes: number) => ({ type: 'message', role: 'user', content: text(bytes) });
const pages = (path: string, count: number) =>
  Array.from({ length: count }, () => call('GET', `${path}?limit=1&order=asc`));

test('references read each stored response once, and are bounded in number and size', async () => {
  const small = { type: 'message', role: 'user', content: 'small' };
  const { id } = await made('/responses', { model, input: [small, message(2_000_000)] });
  const name = id.replace('resp_', '');
  const refer = (count: number, place: number) => ({
    model,
    store: false,
    input: Array.from({ length: count }, () => ({ type: 'item_reference', id: `msg_${name}_in${place}` })),
  });
  const [count, answer] = await readsOf(() => post('/responses', refer(100, 0)));
  expect(answer.status).toBe(200);
  // The head, and the pieces of 512 KiB.
  expect(count).toBeLessThanOrEqual(1 + Math.ceil(2_100_000 / (512 * 1024)));
  const [none, many] = await readsOf(() => post('/responses', refer(101, 0)));
  expect(many).toMatchObject({ status: 400, body: { error: { param: 'input' } } });
  expect(many.body.error.message).toContain('100 references');
  expect(none).toBe(0);
  const attack = Array.from({ length: 20 }, () => post('/responses', refer(100, 1)));
  for (const { status, body } of await besideVictim(attack)) {
    expect([413, 429]).toContain(status);
    expect(body.error.message).toMatch(/\d+ MB/);
  }
});

test('a page of input items reads what it shows, and reads at once are bounded by the share of the token', async () => {
  const input = Array.from({ length: 10 }, () => message(500_000));
  const { id } = await made('/responses', { model, input });
  const path = `/responses/${id}/input_items`;
  const [count, page] = await readsOf(() => call('GET', `${path}?limit=1&order=asc`));
  expect(page.body.data).toHaveLength(1);
  expect(page.body.has_more).toBe(true);
  // The head, the index, and an item that lies in two pieces.
  expect(count).toBeLessThanOrEqual(1 + 1 + 2);
  const [next, last] = await readsOf(() =>
    call('GET', `${path}?limit=1&order=desc&after=${page.body.data[0].id.replace('_in0', '_in9')}`),
  );
  expect(last.body.data[0].id).toMatch(/_in8$/);
  expect(next).toBeLessThanOrEqual(1 + 1 + 2 + 2);
  for (const { status, body } of await besideVictim(pages(path, 60))) {
    if (status === 200) continue;
    expect(status).toBe(429);
    expect(body.error.message).toContain('20 MB of request bodies');
  }
  const [whole, response] = await readsOf(() => call('GET', `/responses/${id}`));
  expect(response.body).toMatchObject({ id, status: 'completed' });
  expect(whole).toBeLessThanOrEqual(1 + 2);
});

test('a conversation holds no more than a request may, and a page of it reads what it shows', async () => {
  const { id } = await made('/conversations', {});
  const path = `/conversations/${id}/items`;
  const statuses: number[] = [];
  let refused: Got | undefined;
  for (let i = 0; i < 8 && !refused; i++) {
    const added = await post(path, { items: [message(900_000), message(20_000)] });
    statuses.push(added.status);
    if (added.status !== 200) refused = added;
  }
  expect(statuses).toEqual([...Array(6).fill(200), 413]);
  expect(refused?.body.error.message).toContain('6 MB');
  expect(refused?.body.error.param).toBe('items');
  const [added] = await readsOf(() => post(path, { items: [message(100)] }));
  // Only the conversation itself.
  expect(added).toBe(1);
  const [count, page] = await readsOf(() => call('GET', `${path}?limit=1`));
  expect(page.body.data[0].content[0].text).toHaveLength(100);
  expect(count).toBeLessThanOrEqual(2);
  const seen: string[] = [];
  for (let after = ''; ; ) {
    const { body } = await call('GET', `${path}?limit=3&order=asc${after && `&after=${after}`}`);
    seen.push(...body.data.map(({ id }: { id: string }) => id));
    if (!body.has_more) break;
    after = body.last_id;
  }
  expect(new Set(seen).size).toBe(13);
  const [one, item] = await readsOf(() => call('GET', `${path}/${seen[1]}`));
  expect(item.body).toMatchObject({ id: seen[1], content: [{ text: text(20_000) }] });
  expect(one).toBeLessThanOrEqual(1 + 4);
  for (const { status, body } of await besideVictim(pages(path, 60)))
    if (status !== 200) expect([status, body.error.message]).toEqual([429, expect.stringContaining('20 MB')]);
  const [renamed] = await readsOf(() => post(`/conversations/${id}`, { metadata: { a: 'b' } }));
  expect(renamed).toBe(1);
  const [removed, answer] = await readsOf(() => call('DELETE', `/conversations/${id}`));
  expect(answer.status).toBe(200);
  expect(removed).toBeLessThanOrEqual(2);
});

test('followers of large events are bounded by the share of the token', async () => {
  const request = { model: 'chat/sim-fast', instructions: text(2_000_000), input: 'Hi', stream: true };
  const headers = { authorization: `Bearer ${stack.token}`, 'content-type': 'application/json' };
  const created = await fetch(`${stack.url}/v1/responses`, {
    method: 'POST',
    headers,
    body: JSON.stringify(request),
  });
  const events = await created.text();
  const id = /"id":"(resp_\w+)"/.exec(events)?.[1];
  const follow = async () => {
    const followed = await fetch(`${stack.url}/v1/responses/${id}?stream=true`, { headers });
    return { status: followed.status, body: await followed.text() };
  };
  expect((await follow()).body === events).toBe(true);
  const followers = await besideVictim(Array.from({ length: 30 }, follow));
  for (const { status, body } of followers) {
    if (status === 200) expect(body === events).toBe(true);
    else expect([status, body]).toEqual([429, expect.stringContaining('20 MB of request bodies')]);
  }
  expect(followers.some(({ status }) => status === 200)).toBe(true);
});
