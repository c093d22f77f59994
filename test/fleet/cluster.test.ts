import { setTimeout as sleep } from 'node:timers/promises';
import { type NatsCluster, startNatsCluster } from '@model-gateway/bus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../until.ts';
import { answerText, ask, errorOf, openStream } from './clients.ts';
import { Fleet, untilReady } from './fleet.ts';

/** The longest time of a revocation while the cluster elects new leaders. */
const inForceMs = 6_000;

let nats: NatsCluster;
let fleet: Fleet;
beforeAll(async () => {
  nats = await startNatsCluster();
  fleet = await Fleet.start({
    natsUrl: nats.url,
    fronts: 3,
    env: { GATEWAY_NATS_REPLICAS: '3', GATEWAY_QUEUE_MS: '8000' },
  });
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await nats?.stop();
});

test.each([0, 1, 2])(
  'after node %i of the NATS cluster is killed, the next revocation takes effect in time',
  async node => {
    await Promise.all([fleet.control, ...fleet.fronts].map(each => untilReady(each)));
    const { id, token } = await fleet.createToken();
    const streams = await Promise.all(
      fleet.fronts.map(({ url }) => openStream(url, token, { model: 'sim-t3000-i20ms' })),
    );
    await nats.kill(node);
    await using _ = { [Symbol.asyncDispose]: () => nats.restart(node) };
    await using others = load();
    const sentAt = performance.now();
    const revoked = revoke(id);
    const refusedAt = await Promise.all(fleet.fronts.map(({ url }) => refused(url, token)));
    expect(Math.max(...refusedAt) - sentAt).toBeLessThan(inForceMs);
    // The death of the node may have cut a stream already; a cut stream never ends as a complete one.
    for (const { ended } of streams) {
      const { text, at } = await ended;
      expect(errorOf(text)?.message).toMatch(/^This API key was revoked|^The answer was cut off/);
      expect(at - sentAt).toBeLessThan(inForceMs);
    }
    await revoked;
    expect(await others.end()).toEqual([]);
  },
);

/** Retries as a client of the admin API does if the error is retryable. */
async function revoke(id: string): Promise<void> {
  const { status, body } = await until('an answer other than 503', async () => {
    const answer = await fleet.admin('DELETE', `/tokens/${id}`);
    return answer.status !== 503 && answer;
  });
  // A token whose revocation got a retryable error is revoked by then.
  expect([204, 404], JSON.stringify(body)).toContain(status);
}

function refused(url: string, token: string): Promise<number> {
  return until('a revoked token is refused', async () => {
    const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
    await response.arrayBuffer();
    return response.status === 401 && performance.now();
  });
}

/**
 * Sends requests to every front repeatedly; returns every response that was neither complete nor an error of
 * its format.
 */
function load(): AsyncDisposable & { end(): Promise<string[]> } {
  const wrong: string[] = [];
  let on = true;
  const asking = fleet.fronts.map(async ({ url }, i) => {
    for (let stream = i % 2 === 0; on; stream = !stream, await sleep(10)) {
      const response = await ask(url, fleet.token, { model: 'sim-t20', stream });
      const text = await response.clone().text();
      if (errorOf(text)) continue;
      await answerText(response).catch(error => wrong.push(String(error)));
    }
  });
  const end = async () => {
    on = false;
    await Promise.all(asking);
    return wrong;
  };
  return { end, [Symbol.asyncDispose]: async () => void (await end()) };
}
