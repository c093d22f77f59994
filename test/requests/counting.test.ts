import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FourUpstreams, startFourUpstreams } from '../clients/four-upstreams.ts';

let gateway: FourUpstreams;
beforeAll(async () => {
  gateway = await startFourUpstreams();
});
afterAll(() => gateway?.stop());

const text = 'How many tokens is this?';
/** The request for a token count in each format, and the field of the count. */
const clients = {
  messages: {
    path: () => '/v1/messages/count_tokens',
    body: (model: string) => ({ model, messages: [{ role: 'user', content: text }] }),
    count: 'input_tokens',
  },
  'generate-content': {
    path: (model: string) => `/v1beta/models/${model}:countTokens`,
    body: () => ({ contents: [{ parts: [{ text }] }] }),
    count: 'totalTokens',
  },
  responses: {
    path: () => '/v1/responses/input_tokens',
    body: (model: string) => ({ model, input: text }),
    count: 'input_tokens',
  },
};

async function ask(client: keyof typeof clients, model: string) {
  const { path, body, count } = clients[client];
  const response = await fetch(gateway.stack.url + path(model), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${gateway.stack.token}`,
      'vendor-version': '2023-06-01',
    },
    body: JSON.stringify(body(model)),
  });
  const answer = (await response.json()) as Record<string, number>;
  const estimated = response.headers.has('x-gateway-estimate');
  return { status: response.status, answer, count: answer[count], estimated };
}

const upstreamPaths = {
  messages: '/v1/messages/count_tokens',
  'generate-content': '/v1beta/models/sim-fast:countTokens',
  responses: '/v1/responses/input_tokens',
};

describe.each(Object.keys(clients) as (keyof typeof clients)[])('token counts for a client of %s', client => {
  test.each(Object.entries(upstreamPaths))(
    'a token count of an upstream of %s reaches the client',
    async (upstream, path) => {
      const { status, answer, count, estimated } = await ask(client, `${upstream}/sim-fast`);
      expect({ status, estimated }, JSON.stringify(answer)).toEqual({ status: 200, estimated: false });
      expect(count).toBeGreaterThan(4);
      expect(gateway.simulator.requests.at(-1)?.path).toBe(path);
    },
  );

  test('a token count is estimated for an upstream that cannot count, without a request to it', async () => {
    const before = gateway.simulator.requests.length;
    const { status, count, estimated } = await ask(client, 'chat/sim-fast');
    expect({ status, estimated }).toEqual({ status: 200, estimated: true });
    expect(count).toBeGreaterThan(4);
    expect(gateway.simulator.requests.length).toBe(before);
  });

  test('a token count is estimated if the upstream fails', async () => {
    const { status, estimated } = await ask(client, 'messages/fault-500');
    expect({ status, estimated }).toEqual({ status: 200, estimated: true });
  });
});
