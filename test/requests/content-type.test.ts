import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../docs/generators/data-plane/document.ts';
import type { ErrorFormat } from '../../docs/generators/data-plane/errors.ts';
import { type Simulated, startSimulated } from '../stack/simulated.ts';

let gateway: Simulated;

beforeAll(async () => {
  gateway = await startSimulated(
    url => ({
      providers: [{ name: 'sim', kind: 'openai-compatible', baseUrl: `${url}/v1` }],
      models: [{ name: 'm', targets: [{ provider: 'sim', model: 'sim-fast' }] }],
    }),
    { env: { GATEWAY_BODY_LIMIT: '10000' } },
  );
});

afterAll(() => gateway?.stop());

/** Sends a body without a content type: `fetch` would add one. */
function send(path: string, body: string, headers: Record<string, string>) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    text: string;
    sniff: unknown;
  }>();
  const sent = request(gateway.stack.url + path, { method: 'POST', headers }, response => {
    const sniff = response.headers['x-content-type-options'];
    text(response).then(body => resolve({ status: response.statusCode ?? 0, text: body, sniff }), reject);
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

const version = { 'anthropic-version': '2023-06-01' };
const own = (token = gateway.stack.token) => ({ authorization: `Bearer ${token}`, ...version });
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const remedy = 'Set the header Content-Type: application/json.';

/** The place of an error's message, by the format of an endpoint's errors. */
const shapes: Record<ErrorFormat, object> = {
  chat: { error: { type: 'invalid_request_error', code: 'unsupported_content_type' } },
  messages: { type: 'error', error: { type: 'invalid_request_error' } },
  'generate-content': { error: { code: 415, status: 'INVALID_ARGUMENT' } },
  'content-stream': [{ error: { code: 415, status: 'INVALID_ARGUMENT' } }],
  models: {},
};

/** The endpoints that take JSON. */
const endpoints = operations.flatMap(({ path, body = {}, errors }): [path: string, shape: object][] =>
  'application/json' in body
    ? [[path.replace('{model}', 'm').replace('{id}', 'conv_1'), shapes[errors]]]
    : [],
);

describe.each(endpoints)('the content type of %s', (path, shape) => {
  test('a body that is not JSON is refused before it is read, with the type to send', async () => {
    const refused = await send(path, 'x'.repeat(20_000), { ...own(), ...form });
    expect([refused.status, refused.sniff]).toEqual([415, 'nosniff']);
    const body = JSON.parse(refused.text);
    expect(body).toMatchObject(shape);
    const { message } = [body].flat()[0].error;
    expect(message).toContain(remedy);
    expect(message).toContain("'application/x-www-form-urlencoded'");
  });

  test('a wrong credential is refused before the content type', async () => {
    expect((await send(path, '{}', { ...own('nope'), ...form })).status).toBe(401);
  });

  test.each([
    undefined,
    '',
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/vnd.api+json',
  ])('the content type %j counts as JSON', async type => {
    const answer = await send(path, '{}', { ...own(), ...(type !== undefined && { 'content-type': type }) });
    expect(answer.status).not.toBe(415);
  });
});

test.each(['/v1/audio/transcriptions', '/v1/audio/translations', '/v1/images/variations'])(
  '%s refuses a body that is not a form, with the type to send',
  async path => {
    const types: Record<string, string>[] = [{}, { 'content-type': 'application/json' }];
    for (const type of types) {
      const refused = await send(path, '{}', { ...own(), ...type });
      expect(refused.status).toBe(415);
      expect(refused.text).toContain('Content-Type: multipart/form-data');
    }
  },
);

test('a repeated Authorization header is refused if its values differ, and accepted if they are equal', async () => {
  const ask = (second: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<[number, string]>();
    const headers = ['authorization', `Bearer ${gateway.stack.token}`, 'Authorization', second];
    const to = new URL('/v1/models', gateway.stack.url);
    const sent = request(to, { headers: ['host', to.host, ...headers] }, response =>
      text(response).then(body => resolve([response.statusCode ?? 0, body]), reject),
    );
    sent.on('error', reject);
    sent.end();
    return promise;
  };
  expect((await ask(`Bearer ${gateway.stack.token}`))[0]).toBe(200);
  const [status, body] = await ask('Bearer other');
  expect(status).toBe(400);
  expect(JSON.parse(body)).toMatchObject({
    error: { code: 'conflicting_credentials', message: expect.stringContaining('Send one.') },
  });
});
