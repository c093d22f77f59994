import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, errorOf, type Question } from './clients.ts';
import { Fleet, type FleetProcess, untilReady } from './fleet.ts';
import { entriesOf } from './ledger.ts';
import { Asked, everyQuestion, simulated } from './questions.ts';

const queueMs = 2_500;

let fleet: Fleet;
let front: FleetProcess;
beforeAll(async () => {
  fleet = await Fleet.start({ env: { GATEWAY_QUEUE_MS: String(queueMs) } });
  front = fleet.fronts[0] as FleetProcess;
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const askAll = (questions: readonly Question[]) =>
  questions.map(question => new Asked(front.url, fleet.token, question));

test('while NATS is killed, clients get errors in their format, and the fleet recovers by itself', async () => {
  const streams = askAll(everyQuestion('sim-t3000-i20ms', [true]));
  await Promise.all(streams.map(each => each.response));
  const waiting = askAll(everyQuestion('sim-t20-f20000ms'));
  // A call whose upstream was not asked yet has no attempt to record.
  await expect.poll(async () => (await fleet.stats()).requests).toBe(streams.length + waiting.length);

  const killedAt = performance.now();
  process.kill(fleet.nats.pid, 'SIGKILL');
  for (const { question, body, endedAt } of streams) {
    const text = await body;
    expect(errorOf(text)).toMatchObject({
      message: expect.stringMatching(/cut off/),
      type: expect.any(String),
    });
    expect(text).not.toMatch(/\[DONE\]|message_stop/);
    expect(text.includes('event: error\ndata: ')).toBe(question.format === 'messages');
    expect((endedAt ?? 0) - killedAt).toBeLessThan(2_000);
  }
  expect((await fetch(`${front.opsUrl}/readyz`)).status).toBe(503);
  await expect.poll(async () => (await fleet.stats()).streams).toBe(0);

  const late = askAll(everyQuestion('sim-t20'));
  for (const each of [...waiting, ...late]) await expectRefused(each);
  for (const each of late) expect((each.endedAt ?? 0) - killedAt).toBeLessThan(queueMs + 4_000);

  await fleet.nats.restart();
  const backAt = performance.now();
  await Promise.all([front, fleet.control, ...fleet.workers].map(each => untilReady(each)));
  expect(performance.now() - backAt).toBeLessThan(8_000);
  const again = askAll(everyQuestion('sim-t20'));
  const wanted = await Promise.all(again.map(({ question }) => simulated(fleet, question)));
  expect(await Promise.all(again.map(each => each.text()))).toEqual(wanted);
  for (const each of [front, fleet.control, ...fleet.workers]) expect(each.running).toBe(true);

  const ids = await Promise.all([...streams, ...waiting, ...again].map(each => each.requestId()));
  const recorded = async () => {
    const entries = await entriesOf(fleet, ids);
    return {
      requests: new Set(entries.map(({ requestId }) => requestId)).size,
      charged: entries.filter(({ charged }) => charged).length,
    };
  };
  await expect
    .poll(recorded, { timeout: 15_000 })
    .toEqual({ requests: ids.length, charged: streams.length + again.length });
});

test('what is refused while NATS is killed says so by its code, and counts for no limit', async () => {
  const { token } = await fleet.createToken({ limits: { requestsPerMinute: 4, tokensPerMinute: 100_000 } });
  const answerOf = async () => {
    const response = await ask(front.url, token, { model: 'sim-t3' });
    return {
      status: response.status,
      code: (errorOf(await response.text()) as { code?: string } | undefined)?.code,
    };
  };
  expect(await answerOf()).toMatchObject({ status: 200 });
  process.kill(fleet.nats.pid, 'SIGKILL');
  const refused = await Promise.all(Array.from({ length: 3 }, answerOf));
  expect(new Set(refused.map(({ status, code }) => `${status} ${code}`))).toEqual(
    new Set(['503 bus_unavailable']),
  );
  await fleet.nats.restart();
  await Promise.all([front, fleet.control, ...fleet.workers].map(each => untilReady(each)));
  const again = [await answerOf(), await answerOf(), await answerOf(), await answerOf()];
  expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
});

async function expectRefused({ question, response, body }: Asked): Promise<void> {
  const { status, headers } = await response;
  // The status 503 of other formats is 529 in messages.
  expect(status).toBe(question.format === 'messages' ? 529 : 503);
  expect(headers.get('retry-after')).toBe('5');
  const refusal = JSON.parse(await body);
  expect(refusal.error.message).toMatch(/message bus cannot be reached/);
  expect(refusal.type).toBe(question.format === 'messages' ? 'error' : undefined);
}
