import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { load } from './load.ts';
import type { Scenario } from './scenarios.ts';

let simulator: StartedSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const text = 'A gateway';
const scenario: Scenario = {
  name: 'short',
  title: '',
  client: 'chat',
  model: 'sim-t2',
  clients: 3,
  chunks: null,
};
const job = () => ({ scenario, origin: simulator.url, token: 'any', seconds: 1, expected: '' });

/** The simulator chooses the text: a load that expects another one reports it. */
async function expectedText(): Promise<string> {
  const alone = { ...scenario, clients: 1 };
  const error: Error = await load({ ...job(), scenario: alone, expected: text }).then(
    () => new Error('nothing differed'),
    error => error,
  );
  expect(error.message).toContain(`expected: ${text}\nreceived: `);
  return error.message.split('received: ')[1] as string;
}

test.each([null, 2])('responses with the expected text are counted; chunks: %s', async chunks => {
  const expected = await expectedText();
  const before = simulator.requests.length;
  const seen = await load({ ...job(), scenario: { ...scenario, chunks }, expected });
  expect(seen.endMs.length).toBe(seen.firstMs.length);
  expect(simulator.requests.length - before).toBe(Math.min(seen.endMs.length, 1_000 - before));
  expect(seen.seconds).toBeGreaterThanOrEqual(1);
  expect(simulator.openStreams()).toBe(0);
});

test('clients of messages get the same text', async () => {
  const messages = { ...scenario, client: 'messages' as const, chunks: 2 };
  const seen = await load({ ...job(), scenario: messages, expected: await expectedText() });
  expect(seen.endMs.length).toBeGreaterThan(0);
});

test('a refused request fails the load with its status', async () => {
  await expect(load({ ...job(), token: 'invalid' })).rejects.toThrow('short: status 401: {"error"');
});
