import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { chunk, type ScriptedUpstream, startStream, startUpstream } from './upstream.ts';

let upstream: ScriptedUpstream;
let stack: Stack;

beforeAll(async () => {
  upstream = await startUpstream(async (response, request) => {
    if (request.url?.startsWith('/silent')) return;
    startStream(response);
    while (!response.closed) {
      response.write(chunk('on '));
      await sleep(20);
    }
  });
  const provider = (name: string) => ({
    name,
    kind: 'openai-compatible',
    baseUrl: `${upstream.url}/${name}`,
  });
  const model = (name: string) => ({ name, targets: [{ provider: name, model: 'm' }] });
  stack = await startStack({
    catalog: {
      providers: [provider('endless'), provider('silent')],
      models: [model('endless'), model('silent')],
    },
  });
});
afterAll(async () => {
  await stack.stop();
  upstream.close();
});

const paths = { chat: '/v1/chat/completions', messages: '/v1/messages' };
type Format = keyof typeof paths;

function ask(format: Format, token: string, model: string): Promise<Response> {
  return fetch(stack.url + paths[format], {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      'vendor-version': '2023-06-01',
    },
    body: JSON.stringify({
      model,
      stream: true,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Go on' }],
    }),
  });
}

const lastError = (text: string) =>
  JSON.parse(
    text
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^data: /, '') ?? '',
  ).error;

const refusal = (format: Format, message: string) =>
  format === 'chat'
    ? { message, type: 'invalid_request_error', param: null, code: 'invalid_api_key' }
    : { message, type: 'authentication_error' };

describe.each(['chat', 'messages'] as const)('a running %s stream', format => {
  test('a stream ends with an error when its token is revoked, and its upstream is closed', async () => {
    const secret = await stack.addToken({ id: `revoked-${format}` });
    const response = await ask(format, secret, 'endless');
    const left = upstream.left();
    await stack.addToken({ id: `revoked-${format}`, revoked: true }, secret);
    const text = await response.text();
    expect(text).toContain('on ');
    expect(lastError(text)).toEqual(refusal(format, 'This API key was revoked.'));
    await left;
    expect((await ask(format, secret, 'endless')).status).toBe(401);
  });

  test('a stream ends with an error when its token expires', async () => {
    const secret = await stack.addToken({ id: `expired-${format}`, expiresAt: Date.now() + 1_200 });
    const text = await (await ask(format, secret, 'endless')).text();
    expect(lastError(text)).toEqual(refusal(format, 'This API key has expired.'));
  });

  test('a stream that has not begun is refused with a status when its token is revoked', async () => {
    const secret = await stack.addToken({ id: `silent-${format}` });
    const asked = upstream.asked();
    const answer = ask(format, secret, 'silent');
    await asked;
    const left = upstream.left();
    await stack.addToken({ id: `silent-${format}`, revoked: true }, secret);
    const response = await answer;
    expect(response.status).toBe(401);
    expect(lastError(await response.text())).toEqual(refusal(format, 'This API key was revoked.'));
    await left;
  });
});
