import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type NatsServer, startNats } from '@model-gateway/bus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClientFormat, paths } from '../../bench/scenarios.ts';
import { answerText, ask, errorOf, questionBody, questionHeaders } from './clients.ts';
import { Fleet, type FleetProcess, residentBytes } from './fleet.ts';

const mb = 1_000_000;

let nats: NatsServer;
let fleet: Fleet;
let front: FleetProcess;
beforeAll(async () => {
  nats = await startNats();
  fleet = await Fleet.start({ natsUrl: nats.url });
  [front] = fleet.fronts as [FleetProcess];
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await nats?.stop();
});

/** A question with an image of the given number of base64 bytes. */
function picture(bytes: number) {
  const url = `data:image/png;base64,${'A'.repeat(bytes - (bytes % 4))}`;
  return [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url } },
  ];
}

test.each(['sim-t5', 'messages/sim-t5'])('a body of 20 MB reaches %s', async model => {
  const response = await ask(front.url, fleet.token, { model, content: picture(20 * mb) });
  expect(await answerText(response)).not.toBe('');
});

const kinds = { chat: 'invalid_request_error', messages: 'request_too_large' };

test.each([
  ['chat', true],
  ['chat', false],
  ['messages', true],
  ['messages', false],
] as const)('a body of 33 MB is refused in %s; length announced: %s', async (format, announced) => {
  using agent = keptAlive();
  const body = Buffer.from(questionBody({ model: 'sim-t5', content: 'x'.repeat(33 * mb) }));
  const refused = await post(agent, format, body, announced);
  expect(refused.statusCode).toBe(413);
  expect(errorOf(await text(refused))?.type).toBe(kinds[format]);
  // The connection stays usable, or was closed in order and another one works.
  const next = await post(agent, format, Buffer.from(questionBody({ model: 'sim-t5' })), true);
  expect(next.statusCode).toBe(200);
  await text(next);
});

test('a request over the budget of held bytes gets a retryable error, and its retry is answered', async () => {
  const small = await fleet.startFront({
    GATEWAY_BODY_BUDGET: String(30 * mb),
    GATEWAY_TOKEN_BODY_BUDGET: String(30 * mb),
  });
  const send = (model: string) => ask(small.url, fleet.token, { model, content: picture(20 * mb) });
  const { requests } = await fleet.stats();
  const first = send('sim-t5-f8000ms');
  await expect.poll(async () => (await fleet.stats()).requests).toBe(requests + 1);
  const second = await send('sim-t5');
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1']);
  expect(errorOf(await second.text())?.message).toMatch('no room for more request bodies');
  expect(await answerText(await first)).not.toBe('');
  expect(await answerText(await send('sim-t5'))).not.toBe('');
  expect(await small.stop()).toBe(0);
});

test('memory grows by at most three times the bodies in flight, and falls again', async () => {
  const flight = 5;
  const bytes = flight * 20 * mb;
  const model = 'sim-t5-f2000ms';
  const content = picture(20 * mb);
  // All requests have one token.
  const front = await fleet.startFront({ GATEWAY_TOKEN_BODY_BUDGET: String(2 * bytes) });
  await answerText(await ask(front.url, fleet.token, { model: 'sim-t5', content }));
  await settled(front);
  const before = residentBytes(front);
  using peak = watchPeak(front);
  const answers = Array.from({ length: flight }, () => ask(front.url, fleet.token, { model, content }));
  await Promise.all(answers.map(async answer => expect(await answerText(await answer)).not.toBe('')));
  expect(peak.bytes - before).toBeLessThan(3 * bytes);
  await expect.poll(() => residentBytes(front) - before, { timeout: 20_000 }).toBeLessThan(bytes);
});

/** One connection, reused while it is open. */
function keptAlive(): Agent & Disposable {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() });
}

async function post(
  agent: Agent,
  format: ClientFormat,
  body: Buffer,
  announced: boolean,
): Promise<IncomingMessage> {
  const length = announced ? { 'content-length': body.length } : {};
  const headers = { ...questionHeaders(fleet.token), ...length };
  const sent = request(front.url + paths[format], { method: 'POST', agent, headers });
  const answered = once(sent, 'response', { signal: AbortSignal.timeout(10_000) });
  sent.end(body);
  return (await answered)[0];
}

/** Waits until a process's memory no longer falls. */
async function settled(process: FleetProcess): Promise<void> {
  for (let last = Number.POSITIVE_INFINITY, i = 0; i < 20; i++) {
    const now = residentBytes(process);
    if (now > last - mb && i > 2) return;
    last = now;
    await sleep(500);
  }
}

function watchPeak(process: FleetProcess): Disposable & { readonly bytes: number } {
  let bytes = 0;
  const timer = setInterval(() => {
    bytes = Math.max(bytes, residentBytes(process));
  }, 10);
  return {
    get bytes() {
      return bytes;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
