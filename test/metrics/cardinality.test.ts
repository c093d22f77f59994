import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedUpstream, startUpstream } from '../faults/upstream.ts';
import { chatAnswer } from '../fleet/chat-answer.ts';
import { type Stack, startStack } from '../stack/stack.ts';

const names = 2_000;
/** Requests at once. */
const clients = 32;
const dispatcher = new Agent();
let upstream: ScriptedUpstream;
let stack: Stack;

beforeAll(async () => {
  upstream = await startUpstream(response => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(chatAnswer);
  });
  const catalog = {
    providers: [{ name: 'up', kind: 'openai-compatible', baseUrl: `${upstream.url}/v1` }],
    models: [{ name: 'any/*', targets: [{ provider: 'up', model: '*' }] }],
  };
  stack = await startStack({ catalog });
});
afterAll(async () => {
  await dispatcher.close();
  await stack?.stop();
  upstream?.close();
});

/** Sends a request whose model, token and headers nobody has sent before, as far as `i` says. */
async function attack(i: number): Promise<void> {
  // Most have an unknown model; a tenth has a wrong token, and a tenth a name that matches a pattern.
  const kind = i % 10;
  const token = kind === 0 ? `invented-${i}` : stack.token;
  const model = kind === 1 ? `any/invented-${i}` : `invented-${i}`;
  const { statusCode, body } = await request(`${stack.url}/v1/chat/completions?invented=${i}`, {
    dispatcher,
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-request-id': `invented-${i}`,
      'user-agent': `invented-${i}`,
      [`x-invented-${i}`]: 'invented',
    },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });
  await body.dump();
  expect(statusCode).toBe([401, 200][kind] ?? 404);
}

/** The series of the gateway's own metrics, without their values. */
async function series(): Promise<string[]> {
  const lines = (await stack.metrics()).split('\n').filter(line => line.startsWith('gateway_'));
  return lines.map(line => line.slice(0, line.lastIndexOf(' '))).toSorted();
}

test('2,000 hostile names leave the number of series unchanged', async () => {
  for (let i = 0; i < 3; i++) await attack(i);
  const before = await series();
  let next = 3;
  const client = async () => {
    while (next < names) await attack(next++);
  };
  await Promise.all(Array.from({ length: clients }, client));
  expect(await series()).toEqual(before);
  expect(before.filter(line => line.includes('invented'))).toEqual([]);
  expect(before.filter(line => line.includes('model="any/*"'))).not.toEqual([]);
});
