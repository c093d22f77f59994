import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  type PostgresServer,
  postgresPrograms,
  startPostgres,
} from '../../services/control/src/testing/postgres-server.ts';
import { expectAddsUp } from './adds-up.ts';
import { CountedLoad, type Statuses } from './counted-load.ts';
import { Fleet, type FleetProcess, requestsRunning, untilReady } from './fleet.ts';
import type { Entry } from './ledger.ts';
import { callsOf } from './questions.ts';

let postgres: PostgresServer | undefined;
let fleet: Fleet;
beforeAll(async () => {
  const programs = postgresPrograms();
  postgres = programs ? await startPostgres(programs) : undefined;
  const env = { SIMULATOR_RECORD: '1', ...(postgres && { DATABASE_URL: postgres.url }) };
  fleet = await Fleet.start({ workers: 2, fronts: 2, env });
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await postgres?.stop();
});

const running = (all: readonly FleetProcess[]) => all.filter(each => each.running);

/** Starts two of each, with the load of other tests over. */
beforeEach(async () => {
  while (running(fleet.workers).length < 2) await fleet.startWorker();
  while (running(fleet.fronts).length < 2) await untilReady(await fleet.startFront());
  for (const each of [fleet.control, ...running(fleet.fronts)]) await untilReady(each);
});

/** Puts a load on the fleet, does something to it after some requests, and waits for as many more. */
function load(happens: (load: CountedLoad) => Promise<unknown>): Promise<Statuses> {
  return CountedLoad.during(fleet, async load => {
    await load.ended(20);
    await happens(load);
    await load.ended(20);
  });
}

const others = ({ whole }: Statuses) => whole.filter(status => status !== 200);

test('with clients that leave in the middle of their streams', async () => {
  const seen = await load(load => load.ended(40));
  expect(others(seen)).toEqual([]);
  expect(seen.left.length).toBeGreaterThan(3);
  const entries = await expectAddsUp(fleet);
  const estimated = entries.filter(({ usage }) => usage?.estimated);
  expect(estimated.length).toBeGreaterThan(3);
  for (const { outcome } of estimated) expect(outcome).toBe('cancelled');
});

test('after control was killed', async () => {
  const seen = await load(async load => {
    await fleet.control.kill();
    await load.ended(20);
    await fleet.startControl();
  });
  expect(others(seen)).toEqual([]);
  await expectAddsUp(fleet);
});

test('after a worker was killed', async () => {
  const seen = await load(async () => (await busy(fleet.workers, callsOf)).kill());
  expect(others(seen)).toEqual([]);
  const entries = await expectAddsUp(fleet);
  expect(entries.some(({ outcome }) => outcome === 'lost')).toBe(true);
  const charged = entries.filter(entry => entry.charged).map(({ requestId }) => requestId);
  expect(charged).toHaveLength(new Set(charged).size);
});

test('after an ingress was killed', async () => {
  const seen = await load(async () => (await busy(fleet.fronts, requestsRunning)).kill());
  expect([...seen.whole, ...seen.left]).toContain(0);
  await expectAddsUp(fleet);
});

/** Waits for a process that serves several requests, since one of them may serve none. */
function busy(all: readonly FleetProcess[], serves: (one: FleetProcess) => Promise<number>) {
  const find = async () => {
    for (const each of running(all)) if ((await serves(each)) > 1) return each;
    throw new Error('no process serves several requests');
  };
  return vi.waitFor(find, { interval: 20 });
}

test('after NATS was restarted', async () => {
  const brokenOff = (entries: readonly Entry[]) =>
    entries.filter(({ outcome }) => outcome !== 'answered').length;
  const before = brokenOff(await expectAddsUp(fleet));
  const { left } = await load(async load => {
    process.kill(fleet.nats.pid, 'SIGKILL');
    // One of each client.
    await load.ended(4);
    await fleet.nats.restart();
    await untilReady(fleet.control);
  });
  // Each client that left broke one off, too.
  const byClients = left.filter(status => status === 200).length;
  expect(brokenOff(await expectAddsUp(fleet)) - before).toBeGreaterThan(byClients);
});
