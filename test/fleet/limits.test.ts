import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from './clients.ts';
import { Fleet, type FleetProcess } from './fleet.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start({ fronts: 3 });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const frontOf = (i: number) => fleet.fronts[i % fleet.fronts.length] as FleetProcess;

async function statusOf(i: number, token: string, model = 'sim-t3'): Promise<number> {
  const response = await ask(frontOf(i).url, token, { model });
  await response.arrayBuffer();
  return response.status;
}

/** Waits until every front asks the process that counts. */
async function untilLed(): Promise<void> {
  const { token } = await fleet.createToken({ limits: { requestsPerMinute: 3 } });
  await expect.poll(async () => statusOf(0, token)).toBe(429);
  for (const i of [1, 2]) await expect.poll(async () => statusOf(i, token)).toBe(429);
}

test('of 300 requests at once at three ingress processes, exactly the limit of 100 a minute pass', async () => {
  await untilLed();
  const { token } = await fleet.createToken({ limits: { requestsPerMinute: 100 } });
  const statuses = await Promise.all(Array.from({ length: 300 }, (_, i) => statusOf(i, token)));
  expect(statuses.filter(status => status === 200)).toHaveLength(100);
  expect(statuses.filter(status => status === 429)).toHaveLength(200);
});

test('a change of a limit is in force at every ingress at once', async () => {
  const { id, token } = await fleet.createToken({ limits: { requestsPerMinute: 1 } });
  expect([await statusOf(0, token), await statusOf(1, token)]).toEqual([200, 429]);
  await fleet.admin('PATCH', `/tokens/${id}`, { limits: { requestsPerMinute: 3 } });
  await expect.poll(async () => statusOf(2, token)).toBe(200);
  await fleet.admin('PATCH', `/tokens/${id}`, { limits: null });
  await expect.poll(async () => statusOf(0, token)).toBe(200);
  for (const i of [0, 1, 2]) expect(await statusOf(i, token)).toBe(200);
});

test("a project's limits hold at the next request of every ingress once they are set, and no longer once they are not", async () => {
  const { id, token } = await fleet.createToken({ project: 'lab' });
  const all = async () => [await statusOf(0, token), await statusOf(1, token), await statusOf(2, token)];
  const set = async (limits: object | null) => {
    expect(await fleet.admin('PUT', '/projects/lab', { limits })).toMatchObject({ status: 200 });
  };
  expect(await all()).toEqual([200, 200, 200]);
  await set({ requestsPerMinute: 2 });
  // The limit counts from its first request.
  await expect.poll(all).toEqual([429, 429, 429]);
  await set({ requestsPerMinute: 100, models: { 'sim-*': { requestsPerMinute: 1 } } });
  await expect.poll(all).toEqual([429, 429, 429]);
  await set(null);
  await expect.poll(all).toEqual([200, 200, 200]);
  await set({ requestsPerMinute: 1 });
  await expect.poll(all).toEqual([429, 429, 429]);
  await fleet.admin('DELETE', `/tokens/${id}`);
  // An error that may be retried may also follow a deletion.
  let retried = false;
  const deleted = async () => {
    const { status } = await fleet.admin('DELETE', '/projects/lab');
    const isDone = status === 204 || (retried && status === 404);
    retried ||= status === 503;
    return isDone;
  };
  await expect.poll(deleted).toBe(true);
  const { token: next } = await fleet.createToken({ project: 'lab' });
  // A limit of one a minute would refuse two of them.
  const allNext = async () => [await statusOf(0, next), await statusOf(1, next), await statusOf(2, next)];
  await expect.poll(allNext).toEqual([200, 200, 200]);
});

test('both secrets of a rotated token work in its grace period, and count for the same limits', async () => {
  const { id, token } = await fleet.createToken({ limits: { requestsPerMinute: 2 } });
  const { body } = await fleet.admin('POST', `/tokens/${id}/rotate`, { graceSeconds: 600 });
  const { token: next } = body as { token: string };
  await expect.poll(async () => statusOf(0, next)).toBe(200);
  expect(await statusOf(1, token)).toBe(200);
  expect(await statusOf(2, next)).toBe(429);
  // Rotated without a grace period, only the third secret is left, with the same limits.
  const { body: last } = await fleet.admin('POST', `/tokens/${id}/rotate`, { graceSeconds: 0 });
  for (const old of [token, next]) await expect.poll(async () => statusOf(1, old)).toBe(401);
  await expect.poll(async () => statusOf(1, (last as { token: string }).token)).toBe(429);
});

test('running requests of an ingress that is killed free their places within 10 s, whichever counts', async () => {
  const { token } = await fleet.createToken({ limits: { concurrency: 3 } });
  const [first, ...others] = fleet.fronts as [FleetProcess, ...FleetProcess[]];
  const leaving = new AbortController();
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(60_000)]);
  const streams = await Promise.all(
    Array.from({ length: 3 }, () =>
      ask(first.url, token, { model: 'sim-t3000-i20ms', stream: true, signal }),
    ),
  );
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
  await expect.poll(async () => statusOf(1, token)).toBe(429);
  await first.kill();
  fleet.fronts.splice(0, fleet.fronts.length, ...others);
  const killedAt = Date.now();
  await expect.poll(async () => statusOf(0, token), { interval: 250 }).toBe(200);
  expect(Date.now() - killedAt).toBeLessThan(10_000);
  await expect.poll(async () => statusOf(1, token), { interval: 250 }).toBe(200);
  leaving.abort();
});
