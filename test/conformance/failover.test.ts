import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formats } from '../stack/formats.ts';
import { faults } from './faults.ts';
import { type FaultyGateway, startFaultyGateway } from './gateway.ts';
import { see } from './see.ts';

let gateway: FaultyGateway;
beforeAll(async () => {
  gateway = await startFaultyGateway();
});
afterAll(() => gateway?.stop());

/** An invalid request would fail at every target. */
const inVain = new Set(['invalid-request', 'too-large']);
/** Faults before the first output, which another target may not have. */
const mendable = Object.entries(faults)
  .filter(([, { error, within, opened }]) => error && !inVain.has(error) && !within && !opened)
  .map(([fault]) => fault);

const ways = formats.flatMap(format =>
  [false, true].flatMap(stream => formats.map(first => ({ format, stream, first }))),
);

test('an invalid request is sent once', async () => {
  const before = gateway.simulator.requests.length;
  const model = 'chat-first/fault-400';
  const seen = await see({ url: gateway.url, token: gateway.token, format: 'messages', model, stream: true });
  expect(seen).toMatchObject({ status: 400, error: { name: 'invalid_request_error' } });
  expect(gateway.simulator.requests.length - before).toBe(1);
});

test.each([
  ['/v1/chat/completions', 'messages-first/sim-fast', { logprobs: true }],
  ['/v1/chat/completions', 'messages-first/sim-fast', { n: 9 }],
  ['/v1/messages', 'chat-first/sim-fast', { tools: [{ type: 'bash_20250124', name: 'bash' }] }],
])(
  'a request that one format cannot express is sent to the next: %s, %s, %j',
  async (path, model, fields) => {
    const before = gateway.simulator.requests.length;
    const messages = [{ role: 'user', content: 'Hello' }];
    const response = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${gateway.token}`,
        'vendor-version': '2023-06-01',
      },
      body: JSON.stringify({ model, max_tokens: 50, messages, ...fields }),
    });
    expect(response.status).toBe(200);
    const sent = gateway.simulator.requests.slice(before);
    expect(sent.map(request => request.path)).toEqual([path]);
  },
);

// After the other tests, since a target that has failed rests.
describe('failover to another format', () => {
  test.for(mendable)('a target of another format answers after %s', async fault => {
    const answers = ways.map(async ({ format, stream, first }) => {
      const where = `${first} failed, for ${format}${stream ? ', streamed' : ''}`;
      const model = `${first}-first/${fault}`;
      const seen = await see({ url: gateway.url, token: gateway.token, format, model, stream });
      expect(seen, where).toMatchObject({ status: 200, ended: true, text: expect.stringMatching(/\w{3}/) });
      expect(seen.error, where).toBeUndefined();
    });
    await Promise.all(answers);
  });
});
