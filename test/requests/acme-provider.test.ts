import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { ManualClock } from '@model-gateway/clock/testing';
import { providerProfiles } from '@model-gateway/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clients } from '../conformance/grid/clients/index.ts';
import { chunk, done } from '../faults/upstream.ts';
import { formats } from '../stack/formats.ts';
import { type Stack, startStack } from '../stack/stack.ts';
import { acme, signatureOf } from './acme-provider.ts';

const secret = 'acme-secret-0001';
const clock = new ManualClock();
/** Time for which a token is valid, in milliseconds. */
const tokenMs = 10_000;
/** Time for which a client is told to use it, which leaves a slow request some. */
const toldMs = 7_000;
const tokens: { value: string; expiresAt: number }[] = [];
const refused: string[] = [];
const asked: string[] = [];

/** Answers as Acme does: it refuses what is not signed, and tokens that have expired. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '';
  const body = await buffer(request);
  if (path === '/token') {
    if (request.headers['x-key'] !== secret) return void response.writeHead(401).end('{}');
    tokens.push({ value: `acme-token-${tokens.length}-valid`, expiresAt: clock.now() + tokenMs });
    return void response.end(JSON.stringify({ token: tokens.at(-1)?.value, ms: toldMs }));
  }
  asked.push(path);
  const valid = tokens.some(
    ({ value, expiresAt }) => request.headers.authorization === `Acme ${value}` && clock.now() < expiresAt,
  );
  if (!valid || request.headers['acme-signature'] !== signatureOf(secret, path, body)) {
    refused.push(path);
    const error = { message: `Bad signature or token ${request.headers.authorization}`, type: 'auth' };
    return void response.writeHead(401).end(JSON.stringify({ error }));
  }
  if (JSON.parse(body.toString()).stream) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return void response.end(chunk('Hello.') + chunk('', 'stop') + done);
  }
  const choice = { index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' };
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({ id: 'c1', object: 'chat.completion', created: 1, model: 'm', choices: [choice] }),
  );
}

const server = createServer((request, response) => void answer(request, response));
let stack: Stack;
beforeAll(async () => {
  providerProfiles.acme = acme(clock);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stack = await startStack({
    catalog: {
      providers: [
        { name: 'acme', kind: 'acme', baseUrl, apiKey: { value: secret } },
        { name: 'impostor', kind: 'acme', baseUrl, apiKey: { value: 'not-the-secret-0002' } },
      ],
      models: [
        { name: 'm', targets: [{ provider: 'acme', model: 'team/a' }] },
        { name: 'refused', targets: [{ provider: 'impostor', model: 'a' }] },
      ],
    },
  });
});
afterAll(async () => {
  await stack?.stop();
  server.close().closeAllConnections();
  delete providerProfiles.acme;
});

const question = { turns: [{ role: 'user' as const, content: [{ text: 'Hi' }] }], maxTokens: 50 };

/** Asks a model in a client's format. */
async function ask(format: (typeof formats)[number], stream: boolean, model = 'm') {
  const { path, body } = clients[format].request(question, model, stream);
  const response = await fetch(stack.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stack.token}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

test.each(formats.flatMap(format => [false, true].map(stream => [format, stream] as const)))(
  'a provider that signs each request serves clients of %s (stream: %s)',
  async (format, stream) => {
    const answered = await ask(format, stream);
    expect(answered).toMatchObject({ status: 200, text: expect.stringContaining('Hello.') });
    expect(asked.at(-1)).toBe('/deployments/team%2Fa/chat/completions?api-version=2026-11');
  },
);

test('a token that has expired is replaced, and one that has not is used again', async () => {
  const before = tokens.length;
  await clock.advance(tokenMs);
  for (let i = 0; i < 3; i++) expect((await ask('chat', false)).status).toBe(200);
  expect(tokens.length).toBe(before + 1);
  expect(refused).toEqual([]);
});

test('a credential that the vendor refuses is an error of the upstream that shows no secret', async () => {
  const { status, text } = await ask('chat', false, 'refused');
  expect(status).toBe(502);
  expect(text).toContain('Acme refused the API key.');
  expect(text).not.toContain('not-the-secret');
});
