import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LoggedPage, LoggedRequestInfo } from '@model-gateway/admin-api';
import { connectBus, streamManager } from '@model-gateway/bus';
import { isSampled } from '@model-gateway/ingress';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Fleet } from './fleet.ts';

/** What the upstream answers, in its chunks. */
const chunks = ['It was jo', 'hn.doe@exam', 'ple.org, said PAPAGENO'];
const patience = { timeout: 20_000 };

let upstream: Server;
let fleet: Fleet;
/** Streams of the upstream end only once this has resolved. */
let mayEnd = Promise.resolve();

beforeAll(async () => {
  upstream = createServer((request, response) => {
    let text = '';
    request.on('data', data => {
      text += data;
    });
    request.on('end', () => answer(JSON.parse(text).stream === true));
    const head = { id: 'chatcmpl-1', created: 1, model: 'm' };
    const answer = async (stream: boolean) => {
      if (!stream) {
        const message = { role: 'assistant', content: chunks.join('') };
        const choices = [{ index: 0, message, finish_reason: 'stop' }];
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ ...head, object: 'chat.completion', choices }));
        return;
      }
      response.setHeader('content-type', 'text/event-stream');
      const chunk = (delta: object, finish_reason: string | null = null) =>
        `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
      for (const content of chunks) await new Promise(sent => response.write(chunk({ content }), sent));
      await mayEnd;
      response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
    };
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => upstream.once('listening', resolve));
  const { port } = upstream.address() as AddressInfo;
  fleet = await Fleet.start({
    fronts: 2,
    catalog: () => `providers:
  - { name: upstream, kind: openai-compatible, baseUrl: "http://127.0.0.1:${port}/v1" }
models:
  - { name: m, targets: [ { provider: upstream, model: m } ] }
projects:
  - { name: filed, logging: { sample: 1, redact: [email, { name: employee, pattern: 'EMP-\\d+' }] } }
`,
  });
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  upstream?.close();
});

interface Asked {
  requestId: string;
  text: string;
}

async function ask(token: string, content: string, body: object = {}, signal?: AbortSignal): Promise<Asked> {
  const response = await fetch(`${fleet.fronts[0]?.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], ...body }),
    ...(signal && { signal }),
  });
  const requestId = response.headers.get('x-request-id') as string;
  return { requestId, text: await response.text().catch(() => 'the client left') };
}

/** Creates a token of a project with these settings of logging. */
async function tokenWith(project: string, logging: object | null): Promise<string> {
  const { token } = await fleet.createToken({ project });
  const set = await fleet.admin('PUT', `/projects/${project}`, { logging });
  expect(set).toMatchObject({ status: 200, body: { logging } });
  return token;
}

async function logged(requestId: string): Promise<LoggedRequestInfo> {
  await expect
    .poll(async () => (await fleet.admin('GET', `/requests/${requestId}`)).status, patience)
    .toBe(200);
  return (await fleet.admin('GET', `/requests/${requestId}`)).body as LoggedRequestInfo;
}

async function isLogged(requestId: string): Promise<boolean> {
  return (await fleet.admin('GET', `/requests/${requestId}`)).status === 200;
}

async function untilInLedger(requestId: string): Promise<void> {
  const inLedger = async () => {
    const { body } = await fleet.admin('GET', '/usage?limit=1000');
    return (body as { data: { requestId: string }[] }).data.some(entry => entry.requestId === requestId);
  };
  await expect.poll(inLedger, patience).toBe(true);
}

/** Returns every message in the streams of NATS. */
async function inNats(): Promise<string> {
  const bus = await connectBus({ url: fleet.nats.url, name: 'test' });
  const manager = await streamManager(bus);
  let all = '';
  for await (const { config, state } of manager.streams.list())
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage(config.name, { seq }).catch(() => null);
      all += `${config.name} ${message?.subject} ${Buffer.from(message?.data ?? []).toString()}\n`;
    }
  await bus.close();
  return all;
}

test('without logging no text is anywhere; with it, a request and its answer are stored, redacted, in one place', async () => {
  const off = await fleet.createToken({ project: 'off' });
  const on = await tokenWith('on', { sample: 1, redact: ['email', 'creditCard'], retentionDays: 7 });
  const silent = await ask(off.token, 'SARASTRO asks');
  const whole = await ask(on, `TAMINO asks: 4111 1111 1111 1111, ada@example.com, ${on}`);
  expect([silent.text, whole.text].filter(text => text.includes('PAPAGENO'))).toHaveLength(2);
  const { request, response, attempts, ...facts } = await logged(whole.requestId);
  expect(JSON.parse(request.text)).toEqual({
    model: 'm',
    messages: [
      {
        role: 'user',
        content: 'TAMINO asks: [redacted: creditCard], [redacted: email], [redacted: secret]',
      },
    ],
  });
  expect(JSON.parse(response.text)).toMatchObject({
    choices: [{ message: { content: 'It was [redacted: email], said PAPAGENO' } }],
  });
  expect([request.cut, response.cut, response.bytes]).toEqual([false, false, Buffer.byteLength(whole.text)]);
  expect(facts).toMatchObject({
    ...{ requestId: whole.requestId, format: 'chat', model: 'm', project: 'on', owner: null },
    ...{ status: 200, outcome: 'answered', error: null },
  });
  expect(Date.parse(facts.expiresAt) - Date.parse(facts.at)).toBe(7 * 86_400_000);
  await expect
    .poll(async () => (await logged(whole.requestId)).attempts, patience)
    .toMatchObject([{ requestId: whole.requestId, outcome: 'answered' }]);
  await untilInLedger(silent.requestId);
  expect(await isLogged(silent.requestId)).toBe(false);

  const stored = await inNats();
  expect(stored).toContain('USAGE gateway.v1.usage');
  expect(stored).not.toMatch(/TAMINO|SARASTRO|PAPAGENO/);
  const logs = [fleet.control, ...fleet.fronts, ...fleet.workers].map(({ log }) => log).join('');
  expect(logs).toContain(silent.requestId);
  expect(logs).not.toMatch(/TAMINO|SARASTRO|PAPAGENO/);
});

test('a stream is stored as the client received it, with its text joined, so that redaction finds what is split', async () => {
  const token = (await fleet.createToken({ project: 'filed' })).token;
  const { requestId, text } = await ask(token, 'EMP-0815 asks', { stream: true });
  expect(text).toContain('hn.doe@exam');
  const { request, response } = await logged(requestId);
  expect(request.text).toContain('[redacted: employee] asks');
  const events = response.text.split('\n\n').filter(event => event !== '');
  expect(events).toHaveLength(3);
  expect(events[0]).toContain('"content":"It was [redacted: email], said PAPAGENO"');
  expect(events[1]).toContain('"finish_reason":"stop"');
  expect(events[2]).toBe('data: [DONE]');
  expect([response.bytes, response.cut]).toEqual([Buffer.byteLength(text), false]);
});

test.each([{}, { background: true }])(
  'a stored response is logged as a whole, though it is written after its request (%j)',
  async body => {
    const token = await tokenWith('stored', { sample: 1 });
    const response = await fetch(`${fleet.fronts[0]?.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', input: 'Hello', ...body }),
    });
    await response.arrayBuffer();
    const stored = await logged(response.headers.get('x-request-id') as string);
    expect(JSON.parse(stored.request.text)).toMatchObject({ model: 'm', input: 'Hello' });
    expect(JSON.parse(stored.response.text)).toMatchObject({
      status: 'completed',
      output: [{ content: [{ text: chunks.join('') }] }],
    });
  },
);

test('tokens are counted without a trace, and what is refused is logged with its error', async () => {
  const token = await tokenWith('counted', { sample: 1 });
  const post = async (path: string, body: object) => {
    const response = await fetch(`${fleet.fronts[0]?.url}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': token, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(body),
    });
    await response.arrayBuffer();
    return response.headers.get('x-request-id') as string;
  };
  const messages = [{ role: 'user', content: 'Hello' }];
  const counted = await post('/v1/messages/count_tokens', { model: 'm', messages });
  const refused = await post('/v1/messages', { model: 'm', messages });
  expect(await logged(refused)).toMatchObject({
    ...{ format: 'messages', status: 400, outcome: 'failed', error: 'invalid-request', attempts: [] },
    response: { text: expect.stringContaining('max_tokens') },
  });
  expect(await isLogged(counted)).toBe(false);
});

test('a client that leaves mid-stream leaves what was sent to it, marked as cancelled', async () => {
  const token = await tokenWith('left', { sample: 1 });
  const end = Promise.withResolvers<void>();
  mayEnd = end.promise;
  const leaving = new AbortController();
  const response = await fetch(`${fleet.fronts[0]?.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], stream: true }),
    signal: leaving.signal,
  });
  let received = '';
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  while (!received.includes('PAPAGENO')) received += Buffer.from((await reader.read()).value ?? []);
  leaving.abort();
  const stored = await logged(response.headers.get('x-request-id') as string);
  end.resolve();
  mayEnd = Promise.resolve();
  expect(stored).toMatchObject({ outcome: 'cancelled', error: 'cancelled', status: 499 });
  expect(stored.response.text).toContain('"content":"It was john.doe@example.org, said PAPAGENO"');
  expect(stored.response.text).not.toContain('finish_reason":"stop"');
});

test('texts are cut at maxBytes, and a sample is chosen by the ids of requests', async () => {
  const cut = await tokenWith('cut', { sample: 1, maxBytes: 100 });
  const { requestId } = await ask(cut, 'ä'.repeat(10_000));
  const { request, response } = await logged(requestId);
  // A character of two bytes is not cut in half.
  expect([Buffer.byteLength(request.text), request.cut, request.bytes > 20_000]).toEqual([99, true, true]);
  expect([Buffer.byteLength(response.text), response.cut]).toEqual([100, true]);

  const sampled = await tokenWith('sampled', { sample: 0.5 });
  const asked: Asked[] = [];
  for (let i = 0; i < 30; i++) asked.push(await ask(sampled, 'Hello'));
  const expected = asked.map(({ requestId }) => requestId).filter(id => isSampled(id, 0.5));
  const list = async () => {
    const { body } = await fleet.admin('GET', '/requests?project=sampled');
    return (body as LoggedPage).data.map(({ requestId }) => requestId).toSorted();
  };
  await expect.poll(list, patience).toEqual(expected.toSorted());
  expect(expected.length).toBeGreaterThan(3);
  expect(expected.length).toBeLessThan(27);
});

test('texts are gone once they are deleted or have expired, and the switch holds at once', async () => {
  const token = await tokenWith('gone', { sample: 1, retentionDays: 30 / 86_400 });
  const expiring = await ask(token, 'MONOSTATOS asks');
  await logged(expiring.requestId);
  await expect.poll(() => isLogged(expiring.requestId), { timeout: 60_000 }).toBe(false);
  await fleet.admin('PUT', '/projects/gone', { logging: { sample: 1 } });
  const deleted = await ask(token, 'MONOSTATOS asks again');
  await logged(deleted.requestId);
  expect(await fleet.admin('DELETE', `/requests/${deleted.requestId}`)).toMatchObject({ status: 204 });
  expect(await fleet.admin('GET', `/requests/${deleted.requestId}`)).toMatchObject({
    status: 404,
    body: { code: 'request_not_found' },
  });
  await fleet.admin('PUT', '/projects/gone', {});
  const off = await ask(token, 'MONOSTATOS is silent');
  await untilInLedger(off.requestId);
  expect(await isLogged(off.requestId)).toBe(false);
});
