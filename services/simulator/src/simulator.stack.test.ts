import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SentAnswer } from './common/traffic.ts';
import { type StartedSimulator, startSimulator } from './service.ts';
import { atStandstill, waiting } from './testing/standstill.ts';

let simulator: StartedSimulator;
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.close());

const get = async (path: string) => (await fetch(simulator.url + path)).json();
const answers = async () => (await get('/answers')) as SentAnswer[];
const ask = (model: string, more: object = {}) =>
  fetch(`${simulator.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], ...more }),
  });

/** Opens a stream with a plain client, whose socket the test controls. */
async function open(model: string): Promise<IncomingMessage> {
  const request = httpRequest(`${simulator.url}/v1/chat/completions`, { method: 'POST' });
  request.on('error', () => {});
  request.end(JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] }));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response.on('error', () => {});
}

const soon = (check: () => void | Promise<void>) => vi.waitFor(check, { interval: 5 });

describe('the tokens of answers', () => {
  test('of all choices are counted when the answer is complete', async () => {
    const one = await (await ask('sim-t5')).text();
    await (await ask('sim-t7', { n: 2 })).text();
    await (await ask('fault-slow-t3-5ms', { stream: true })).text();
    const { prompt_tokens } = JSON.parse(one).usage;
    const usage = { input: 3 * prompt_tokens, output: 5 + 2 * 7 + 3 };
    await soon(async () => expect(await get('/stats')).toMatchObject({ usage }));
  });

  test('of each answer are recorded as they are sent', async () => {
    await (await ask('sim-t5')).text();
    await (await ask('fault-500')).text();
    await (await ask('fault-truncate-t9', { stream: true })).text();
    const left = await open('sim-t1000-i20ms');
    await once(left, 'data');
    await soon(async () => expect((await answers())[3]?.sent).toBeGreaterThan(2));
    left.destroy();
    await soon(async () => expect(await get('/stats')).toMatchObject({ streams: 0, cancelled: 1 }));
    expect(await get('/stats')).toMatchObject({ usage: { output: 5 } });
    const [whole, refused, cut, cancelled] = await answers();
    expect(whole).toMatchObject({ model: 'sim-t5', output: 5, sent: 5, ended: true });
    expect(refused).toMatchObject({ model: 'fault-500', sent: 0, ended: false });
    expect(cut).toMatchObject({ output: 9, sent: 5, ended: false });
    expect(cancelled).toMatchObject({ input: whole?.input, output: 1_000, ended: false });
    expect(cancelled?.sent).toBeLessThan(1_000);
  });
});

test('a stream without delay arrives in many reads', async () => {
  const response = await open('sim-t200');
  let reads = 0;
  response.on('data', () => reads++);
  await once(response, 'end');
  expect(reads).toBeGreaterThan(20);
});

test('the model name sets the pace of streams and whole answers', async () => {
  const started = await atStandstill(simulator);
  const { clock } = started;
  simulator = started.simulator;
  const model = 'sim-t10-i20ms-f100ms';
  const streamed = ask(model, { stream: true });
  await waiting(clock, 1);
  const whole = ask(model);
  await waiting(clock, 2);
  const progress = async () => (await answers()).map(({ sent, ended }) => ({ sent, ended }));
  const none = { sent: 0, ended: false };
  // The first token follows an interval after the beginning of the answer.
  await clock.advance(100);
  expect((await streamed).status).toBe(200);
  await clock.advance(19);
  expect(await progress()).toEqual([none, none]);
  await clock.advance(1);
  await soon(async () => expect(await progress()).toEqual([{ sent: 1, ended: false }, none]));
  await clock.advance(179);
  await soon(async () => expect(await progress()).toEqual([{ sent: 9, ended: false }, none]));
  await clock.advance(1);
  const all = { sent: 10, ended: true };
  await soon(async () => expect(await progress()).toEqual([all, all]));
  for (const answer of [streamed, whole]) await (await answer).text();
});

const missing = 'missing_required_parameter';
test.each<[string, string | null, string | null]>([
  ['{"messages":[{"role":"user","content":"Hi"}]}', 'model', missing],
  ['{"model":"sim-fast"}', 'messages', missing],
  ['{"model":"sim-fast","messages":[]}', 'messages', 'empty_array'],
  ['{"model":"sim-fast","messages":[{"role":"user","content":"Hi"}],"n":"two"}', 'n', 'invalid_type'],
  ['{"model":"sim-fast","messages":[{"role":"user","content":{}}]}', 'messages[0].content', 'invalid_type'],
  ['null', null, null],
  ['[]', null, null],
  ['{', null, null],
  ['', null, null],
])('the body %s is rejected', async (body, param, code) => {
  const response = await fetch(`${simulator.url}/v1/chat/completions`, { method: 'POST', body });
  expect(response.status).toBe(400);
  const error = { message: expect.any(String), type: 'invalid_request_error', param, code };
  expect(await response.json()).toEqual({ error });
});

test('an unknown path is a 404, and /healthz is available', async () => {
  const response = await fetch(`${simulator.url}/v1/nothing`, { method: 'POST', body: '{}' });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { code: 'unknown_url' } });
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  expect(await get('/healthz')).toEqual({ status: 'ok' });
});
