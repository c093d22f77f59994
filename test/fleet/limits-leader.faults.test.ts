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

/** Sends requests to fronts in turn, all at once; returns how many passed. */
async function passedOf(count: number, token: string, fronts = fleet.fronts): Promise<number> {
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

test('what the ingress that counts let pass itself counts for the next one, too, once it is killed', async () => {
  const { token } = await fleet.createToken({ limits: { requestsPerMinute: 100 } });
  const leader = await removeLeader();
  expect(await passedOf(60, token, [leader])).toBe(60);
  await leader.kill();
  const passed = await passedOf(100, token);
  expect(passed).toBeLessThanOrEqual(40);
  // What it may have let pass unseen is at most a sixteenth of what was left.
  expect(passed).toBeGreaterThan(30);
  fleet.fronts.push(await fleet.startFront());
});

test('an ingress that counted and stood still lets nothing pass that the next one does not count', async () => {
  const { token } = await fleet.createToken({ limits: { requestsPerMinute: 100 } });
  const leader = await removeLeader();
  expect(await passedOf(60, token, [leader])).toBe(60);
  leader.signal('SIGSTOP');
  const late = passedOf(20, token, [leader]);
  const passed = await passedOf(100, token);
  leader.signal('SIGCONT');
  fleet.fronts.push(leader);
  expect(passed + (await late) + (await passedOf(20, token, [leader]))).toBeLessThanOrEqual(40);
});

test('no more than the limit passes while NATS is killed and comes back', async () => {
  const { token } = await fleet.createToken({ limits: { requestsPerMinute: 100 } });
  const leader = await removeLeader();
  fleet.fronts.push(leader);
  expect(await passedOf(60, token)).toBe(60);
  const restarted = nats.restart();
  const passed = await passedOf(60, token);
  await restarted;
  await removeLeader().then(found => fleet.fronts.push(found));
  expect(passed + (await passedOf(60, token))).toBeLessThanOrEqual(40);
});
