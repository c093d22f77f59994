import { setTimeout as sleep } from 'node:timers/promises';
import { startOwnNats } from '@model-gateway/bus/testing';
import { expect, test } from 'vitest';
import { ask } from './clients.ts';
import { Fleet, type FleetProcess } from './fleet.ts';
import { leaderOf } from './spending.ts';

const limit = 100;
const windowMs = 60_000;
/** The time of a load. A fault comes when half of it, or all of it, is used. */
const loadMs = 80_000;
const faultMs = 15_000;
/** The pause between two requests of a token: the load is three times the limit. */
const pauseMs = 200;
const tokensOfAll = 5;
const tokensOfLeader = 5;

/** A request that passed, in milliseconds since the start of the load. */
interface Passed {
  sent: number;
  answered: number;
}

interface Drilled {
  fleet: Fleet;
  leader: FleetProcess;
  restartNats(downMs: number): Promise<void>;
}

const faults: [string, (drilled: Drilled) => Promise<unknown>][] = [
  ['the ingress that counts is killed', ({ leader }) => leader.kill()],
  ['the ingress that counts is paused for 15 s', pause],
  ['all ingresses are replaced', replaceAll],
  ['NATS is killed and comes back', ({ restartNats }) => restartNats(1_000)],
  ['NATS is away for 20 s', ({ restartNats }) => restartNats(20_000)],
];

test.concurrent.each(faults)('at most the limit passes in any 60 s while %s', async (_name, fault) => {
  const nats = await startOwnNats();
  await using stopped = new AsyncDisposableStack();
  stopped.defer(() => nats.stop());
  const fleet = stopped.use(await Fleet.start({ natsUrl: nats.url, fronts: 3 }));
  const create = () => fleet.createToken({ limits: { requestsPerMinute: limit } });
  const ofAll = await Promise.all(Array.from({ length: tokensOfAll }, create));
  const ofLeader = await Promise.all(Array.from({ length: tokensOfLeader }, create));
  const leader = await leaderOf(fleet);
  const startedAt = performance.now();
  const loads = [
    ...ofAll.map(({ token }) => passedOf(fleet, token, startedAt)),
    // All of these was counted by the leader alone.
    ...ofLeader.map(({ token }) => passedOf(fleet, token, startedAt, leader)),
  ];
  await sleep(faultMs);
  const restartNats = async (downMs: number) => {
    process.kill(nats.pid, 'SIGKILL');
    await sleep(downMs);
    await nats.restart();
  };
  await fault({ fleet, leader, restartNats });
  const most = (await Promise.all(loads)).map(mostInWindow);
  expect(most.filter(passed => passed > limit)).toEqual([]);
  // A fault must not cost the client its limit.
  expect(most.filter(passed => passed <= limit / 2)).toEqual([]);
});

async function pause({ leader }: Drilled): Promise<void> {
  leader.signal('SIGSTOP');
  await sleep(15_000);
  leader.signal('SIGCONT');
}

async function replaceAll({ fleet }: Drilled): Promise<void> {
  for (const old of [...fleet.fronts]) {
    await fleet.startFront();
    fleet.fronts.splice(fleet.fronts.indexOf(old), 1);
    await old.stop();
  }
}

/** Puts a load on; `leader` gets all of it until the fault. */
async function passedOf(
  fleet: Fleet,
  token: string,
  startedAt: number,
  leader?: FleetProcess,
): Promise<Passed[]> {
  const since = () => performance.now() - startedAt;
  const asked: Promise<Passed | undefined>[] = [];
  for (let i = 0; since() < loadMs; i++) {
    const front = since() < faultMs && leader ? leader : fleet.fronts[i % fleet.fronts.length];
    const sent = since();
    asked.push(
      passes(front as FleetProcess, token).then(yes => (yes ? { sent, answered: since() } : undefined)),
    );
    await sleep(leader && since() < faultMs ? pauseMs / 2 : pauseMs);
  }
  return (await Promise.all(asked)).filter(each => each !== undefined);
}

async function passes({ url }: FleetProcess, token: string): Promise<boolean> {
  try {
    const response = await ask(url, token, { model: 'sim-t3' });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    // A process that was killed.
    return false;
  }
}

/** The most requests of which it is certain that they passed within 60 s. */
function mostInWindow(passed: readonly Passed[]): number {
  const within = ({ sent: from }: Passed) =>
    passed.filter(({ sent, answered }) => sent >= from && answered <= from + windowMs).length;
  return Math.max(0, ...passed.map(within));
}
