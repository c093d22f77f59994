import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { findChromium } from './chromium.ts';

const executablePath = findChromium();
let simulator: StartedSimulator;
let stack: Stack;
let browser: Browser;
let site: Server;

const portOf = (server: Server) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  if (!executablePath) return;
  // A site whose pages use the gateway: it is allowed as 127.0.0.1, and not as localhost.
  site = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Page</title>'),
  ).listen(0, '127.0.0.1');
  await once(site, 'listening');
  simulator = await startSimulator();
  stack = await startStack({
    catalog: {
      providers: [{ name: 'sim', kind: 'openai-compatible', baseUrl: `${simulator.url}/v1` }],
      models: [{ name: 'sim-t5', targets: [{ provider: 'sim', model: 'sim-t5' }] }],
    },
    env: { GATEWAY_CORS_ORIGINS: `http://127.0.0.1:${portOf(site)}` },
  });
  browser = await chromium.launch({ executablePath });
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  await simulator?.close();
  site?.close();
});
beforeEach(context => {
  if (!executablePath) context.skip('there is no Chromium on this machine');
});

/** Sends a request from a page of the site, and returns what the page can see of the answer. */
async function fromPage(host: string, path: string, token: string, body?: object) {
  const page = await browser.newPage();
  try {
    await page.goto(`http://${host}:${portOf(site)}/`);
    return await page.evaluate(
      async ({ url, token, body }) => {
        try {
          const response = await fetch(url, {
            method: body ? 'POST' : 'GET',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-own': '1' },
            ...(body && { body: JSON.stringify(body) }),
          });
          const text = await response.text();
          return { status: response.status, id: response.headers.get('x-request-id'), text };
        } catch (error) {
          return { refused: String(error) };
        }
      },
      { url: stack.url + path, token, body },
    );
  } finally {
    await page.close();
  }
}

const chat = { model: 'sim-t5', messages: [{ role: 'user', content: 'Hi' }], stream: true };

describe('a page of an allowed origin', () => {
  test('reads a stream, a list and an error, with the id of the request', async () => {
    const id = expect.stringMatching(/^req_/);
    const stream = await fromPage('127.0.0.1', '/v1/chat/completions', stack.token, chat);
    expect(stream).toEqual({ status: 200, id, text: expect.stringMatching(/data: \[DONE\]\s*$/) });
    const models = await fromPage('127.0.0.1', '/v1/models', stack.token);
    expect(models).toEqual({ status: 200, id, text: expect.stringContaining('sim-t5') });
    const refused = await fromPage('127.0.0.1', '/v1/chat/completions', 'nope', chat);
    expect(refused).toEqual({ status: 401, id, text: expect.stringContaining('invalid_api_key') });
  });
});

test('a page of another origin reads nothing, and the model is not asked', async () => {
  const before = simulator.requests.length;
  expect(await fromPage('localhost', '/v1/chat/completions', stack.token, chat)).toEqual({
    refused: 'TypeError: Failed to fetch',
  });
  expect(simulator.requests.length).toBe(before);
});
