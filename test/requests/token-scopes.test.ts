import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Simulated, startSimulated } from '../stack/simulated.ts';
import { post as postTo } from './post.ts';

let gateway: Simulated;
beforeAll(async () => {
  gateway = await startSimulated(url => ({
    providers: [{ name: 'sim', kind: 'openai-compatible', baseUrl: `${url}/v1` }],
    models: [
      { name: 'sim-t3', targets: [{ provider: 'sim', model: 'sim-t3' }] },
      { name: 'sim-*', targets: [{ provider: 'sim', model: 'sim-*' }] },
    ],
  }));
});
afterAll(() => gateway?.stop());

async function post(path: string, body: object, token: string) {
  const { status, json } = await postTo(gateway.stack, path, body, { authorization: `Bearer ${token}` });
  return { status, body: json };
}

const messages = [{ role: 'user', content: 'Hi' }];
const chat = (model: string) => ({ model, messages });

describe('a token with models', () => {
  test('may use those that match, and gets a 403 for others in the format of the client', async () => {
    const token = await gateway.stack.addToken({ id: 'models', models: ['sim-t*'] });
    expect((await post('/v1/chat/completions', chat('sim-t5'), token)).status).toBe(200);
    const message = "This API key may not use the model 'sim-fast'.";
    expect(await post('/v1/chat/completions', chat('sim-fast'), token)).toEqual({
      status: 403,
      body: {
        error: { message, type: 'invalid_request_error', param: 'model', code: 'model_not_allowed' },
      },
    });
    expect(await post('/v1/messages', { ...chat('sim-fast'), max_tokens: 5 }, token)).toMatchObject({
      status: 403,
      body: { type: 'error', error: { type: 'permission_error', message } },
    });
    const contents = [{ parts: [{ text: 'Hi' }] }];
    expect(await post('/v1beta/models/sim-fast:generateContent', { contents }, token)).toMatchObject({
      status: 403,
      body: { error: { code: 403, status: 'PERMISSION_DENIED', message } },
    });
    expect(await post('/v1/responses', { model: 'sim-fast', input: 'Hi' }, token)).toMatchObject({
      status: 403,
      body: { error: { code: 'model_not_allowed' } },
    });
    expect(
      await post('/v1/realtime/client_secrets', { session: { type: 'realtime', model: 'sim-fast' } }, token),
    ).toMatchObject({ status: 403, body: { error: { param: 'session.model' } } });
    expect((await post('/v1/chat/completions', chat('nothing'), token)).status).toBe(404);
  });

  test('lists only these, also by names of its own that a pattern serves', async () => {
    const listed = async (models: string[]) => {
      const token = await gateway.stack.addToken({ id: 'listed', models });
      const headers = { authorization: `Bearer ${token}` };
      const { data } = (await (await fetch(`${gateway.stack.url}/v1/models`, { headers })).json()) as {
        data: { id: string }[];
      };
      const one = await fetch(`${gateway.stack.url}/v1/models/sim-t3`, { headers });
      return [data.map(({ id }) => id), one.status];
    };
    expect(await listed(['sim-t*'])).toEqual([['sim-t3'], 200]);
    expect(await listed(['sim-t9', 'other'])).toEqual([['sim-t9'], 403]);
    expect(await listed(['other'])).toEqual([[], 403]);
  });
});

test('a token with endpoints gets a 403 at others, before its body is read', async () => {
  const token = await gateway.stack.addToken({ id: 'endpoints', endpoints: ['chat'] });
  expect((await post('/v1/chat/completions', chat('sim-t3'), token)).status).toBe(200);
  const refusal = { error: { code: 'endpoint_not_allowed', param: null } };
  expect(await post('/v1/embeddings', {}, token)).toMatchObject({ status: 403, body: refusal });
  expect(await post('/v1/responses/resp_1/cancel', {}, token)).toMatchObject({ status: 403, body: refusal });
  expect(await post('/v1/messages', {}, token)).toMatchObject({
    status: 403,
    body: { error: { message: "This API key may not use the endpoint 'messages'." } },
  });
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${gateway.stack.url}/v1/models`, { headers })).status).toBe(200);
  for (const path of ['/v1/realtime?model=sim-t3', '/v1/responses'])
    expect(await upgradeStatus(path, token)).toBe(403);
});

test('a token with addresses is refused from others, at every path', async () => {
  const here = await gateway.stack.addToken({ id: 'here', allowedAddresses: ['127.0.0.0/8', '::1'] });
  expect((await post('/v1/chat/completions', chat('sim-t3'), here)).status).toBe(200);
  const token = await gateway.stack.addToken({ id: 'elsewhere', allowedAddresses: ['192.0.2.0/24'] });
  const refusal = { status: 403, body: { error: { code: 'address_not_allowed' } } };
  expect(await post('/v1/chat/completions', chat('sim-t3'), token)).toMatchObject(refusal);
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${gateway.stack.url}/v1/models`, { headers })).status).toBe(403);
  expect(await upgradeStatus('/v1/realtime?model=sim-t3', token)).toBe(403);
});

test('a disabled token is a 401, and one that is disabled mid-stream ends in an error', async () => {
  const secret = await gateway.stack.addToken({ id: 'disabled' });
  const response = await fetch(`${gateway.stack.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify({ ...chat('sim-t3000-i20ms'), stream: true }),
  });
  await gateway.stack.addToken({ id: 'disabled', disabled: true }, secret);
  expect(await response.text()).toContain('This API key is disabled.');
  expect(await post('/v1/chat/completions', chat('sim-t3'), secret)).toMatchObject({
    status: 401,
    body: { error: { code: 'invalid_api_key', message: 'This API key is disabled.' } },
  });
});

/** The status of a refused WebSocket. */
function upgradeStatus(path: string, token: string): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const socket = new WebSocket(gateway.stack.url.replace('http', 'ws') + path, {
    headers: { authorization: `Bearer ${token}` },
  });
  socket.on('unexpected-response', (_request, response) => {
    resolve(response.statusCode);
    response.destroy();
  });
  socket.on('open', () => resolve(101));
  socket.on('error', () => resolve(undefined));
  return promise.finally(() => socket.terminate());
}
