import { type OwnNatsServer, startOwnNats } from '@model-gateway/bus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from './clients.ts';
import { Fleet, type FleetProcess } from './fleet.ts';
import { leaderOf } from './spending.ts';

let nats: OwnNatsServer;
let fleet: Fleet;
beforeAll(async () => {
  nats = await startOwnNats();
  fleet = await Fleet.start({ natsUrl: nats.url, fronts: 4 });
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await nats?.stop();
});

async function statusOf({ url }: FleetProcess, token: string): Promise<number> {
  const response = await ask(url, token, { model: 'sim-t3' });
  await response.arrayBuffer();
  return response.status;
}

/** Sends requests to the fronts in turn, all at once; returns how many passed. */
async function passedOf(count: number, token: string): Promise<number> {
  const { fronts } = fleet;
  const asked = Array.from({ length: count }, (_, i) =>
    statusOf(fronts[i % fronts.length] as FleetProcess, token),
  );
  return (await Promise.all(asked)).filter(status => status === 200).length;
}

/** Waits until every front asks the one that counts, and removes that from the fleet. */
async function removeLeader(): Promise<FleetProcess> {
  const leader = await leaderOf(fleet);
  const { token } = await fleet.createToken({ limits: { requestsPerMinute: 3 } });
  for (const front of [leader, ...fleet.fronts]) await expect.poll(() => statusOf(front, token)).toBe(429);
  fleet.fronts.splice(fleet.fronts.indexOf(leader), 1);
  return leader;
}

test('once the ingress that counts is killed, the next one knows what the others counted', async () => {
  const { token } = await fleet.createToken({ limits: { requestsPerMinute: 10 } });
  const leader = await removeLeader();
  expect(await passedOf(6, token)).toBe(6);
  await leader.kill();
  fleet.fronts.push(await removeLeader());
  expect(await passedOf(10, token)).toBe(4);
});

test('exactly the limit passes while the ingress that counts stops and another one takes its place', async () => {
  // Nothing is lent of so small a limit.
  const { token } = await fleet.createToken({ limits: { requestsPerMinute: 60 } });
  const leader = await removeLeader();
  expect(await passedOf(20, token)).toBe(20);
  await leader.stop();
  expect(await passedOf(80, token)).toBe(40);
});
