import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerText, ask, errorOf } from './clients.ts';
import { Fleet, type FleetProcess, residentBytes } from './fleet.ts';

const mb = 1_000_000;

let fleet: Fleet;
let front: FleetProcess;
beforeAll(async () => {
  fleet = await Fleet.start();
  [front] = fleet.fronts as [FleetProcess];
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

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
