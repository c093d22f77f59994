import { type Bus, connectBus, openProjection } from '@model-gateway/bus';
import { type NatsServer, startNats } from '@model-gateway/bus/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Process, Processes } from '../testing/processes.ts';
import type { Counted } from './limits.ts';

let nats: NatsServer;
let admin: Bus;
beforeAll(async () => {
  nats = await startNats();
  admin = await connectBus({ url: nats.url, name: 'control' });
  // A busy server may answer a request of JetStream too late.
  await vi.waitFor(() => openProjection(admin, 'limits'), { timeout: 60_000 });
});
afterAll(async () => {
  await admin?.close();
  await nats?.stop();
});

let processes: Processes;
beforeEach(() => {
  processes = new Processes(nats.url);
});
afterEach(() => processes.close());

const limit = 100;
const tokens = 10;
let lastLoad = 0;

/** Ten tokens, each of which sends ten requests a second. Half of them have a limit of a hundred requests a minute, the others of tokens. */
class Load {
  readonly #counted: Counted[][];
  /** When requests passed, for each token, in milliseconds of the test's clock. */
  readonly #passedAt = Array.from({ length: tokens }, (): number[] => []);
  /** The codes of the errors of requests that were not decided on. */
  readonly undecided: string[] = [];
  #taken = 0;

  constructor() {
    lastLoad++;
    this.#counted = this.#passedAt.map((_, i) => [
      {
        key: JSON.stringify(['token', `${lastLoad} ${i}`]),
        ...(i % 2 ? { requestsPerMinute: limit } : { tokensPerMinute: limit }),
      },
    ]);
  }

  /** Sends requests of all tokens to processes in turn, for a time. */
  async send(to: readonly Process[], ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 100) {
      for (const [i, counted] of this.#counted.entries())
        this.#take(to[(this.#taken + i) % to.length] as Process, counted, this.#passedAt[i] as number[]);
      this.#taken++;
      await processes.pass(100);
    }
  }

  #take({ limiter }: Process, counted: Counted[], passedAt: number[]): void {
    limiter.take(counted, 1).then(
      slot => {
        if (slot.refusal) return;
        passedAt.push(processes.clock.monotonic());
        slot.end(1);
      },
      error => this.undecided.push(error.details.code),
    );
  }

  /** The most requests of a token that passed in any 60 s. */
  get most(): number {
    const all = this.#passedAt.flatMap(times =>
      times.map((from, i) => times.slice(i).filter(at => at - from < 60_000).length),
    );
    return Math.max(...all);
  }

  /** The fewest requests of a token that passed in all. */
  get fewest(): number {
    return Math.min(...this.#passedAt.map(({ length }) => length));
  }
}

/** Something that happens to processes. Returns those to which requests go from then on, at once and 15 s later. */
type Fault = (all: [Process, Process, Process]) => Promise<{ left: Process[]; later?: () => Process[] }>;

const restored = (all: Process[]) => {
  for (const each of all) each.restore();
  return all;
};

const faults: Record<string, Fault> = {
  async 'the leader is killed'([leader, second, third]) {
    await leader.kill();
    return { left: [second, third] };
  },
  async 'the leader stands still for 15 s'([leader, second, third]) {
    leader.pause();
    const later = () => {
      leader.resume();
      return [leader, second, third];
    };
    return { left: [second, third], later };
  },
  async 'a process that asks the leader stands still for 15 s'([leader, second, third]) {
    second.pause();
    const later = () => {
      second.resume();
      return [leader, second, third];
    };
    return { left: [leader, third], later };
  },
  async 'the leader and the one that follows it are killed'([leader, second, third]) {
    await leader.kill();
    await processes.passUntil(() => second.limiter.isLeader || third.limiter.isLeader);
    const [next, last] = second.limiter.isLeader ? [second, third] : [third, second];
    await processes.pass(500);
    await next.kill();
    return { left: [last] };
  },
  async 'the leader and another process are killed at once'([leader, second, third]) {
    await second.kill();
    await leader.kill();
    return { left: [third] };
  },
  async 'all processes are replaced, one after another'(all) {
    const left: Process[] = [];
    for (const { limiter } of all) {
      left.push(await processes.startAlone());
      await processes.pass(1_500);
      await limiter.close();
      await processes.pass(1_000);
    }
    return { left };
  },
  async 'all other processes are killed soon after a new one has started'([leader, second, third]) {
    const next = await processes.startAlone();
    await processes.pass(1_500);
    for (const each of [second, third, leader]) await each.kill();
    return { left: [next] };
  },
  async 'NATS is away for 1 s'(all) {
    for (const each of all) each.cut();
    await processes.pass(1_000);
    return { left: restored(all) };
  },
  async 'NATS is away for 15 s'(all) {
    for (const each of all) each.cut();
    return { left: all, later: () => restored(all) };
  },
  async 'the leader is cut off from NATS for 15 s'(all) {
    const [leader] = all;
    leader.cut();
    return { left: all, later: () => restored(all) };
  },
  async 'messages to a process are lost, and the leader is killed then'([leader, second, third]) {
    second.deafen();
    const lossy = new Load();
    await lossy.send([leader, second, third], 2_000);
    second.restore();
    await leader.kill();
    return { left: [second, third] };
  },
};

const loads = {
  'at every process': (all: Process[]) => all,
  'at the leader alone': ([leader]: Process[]) => [leader as Process],
};

for (const [fault, happens] of Object.entries(faults))
  for (const [where, served] of Object.entries(loads))
    test(`with requests ${where}, no minute has more than its limit if ${fault}`, async () => {
      const all = await processes.startThree(true);
      const load = new Load();
      await load.send(served(all), 7_000);
      const { left, later } = await happens(all);
      await load.send(left, 15_000);
      await load.send(later?.() ?? left, 80_000);
      expect(load.most).toBeLessThanOrEqual(limit);
      // Little counts as used that was not.
      expect(load.fewest).toBeGreaterThan(1.85 * limit);
    });

test('what is refused while NATS is away counts for nothing, and says why', async () => {
  const all = await processes.startThree(true);
  const load = new Load();
  await load.send(all, 2_000);
  for (const each of all) each.cut();
  await load.send(all, 10_000);
  restored(all);
  const early = load.fewest;
  await load.send(all, 15_000);
  expect(new Set(load.undecided)).toEqual(new Set(['bus_unavailable']));
  expect(early).toBeLessThan(0.5 * limit);
  expect(load.fewest).toBeGreaterThan(0.9 * limit);
  expect(load.most).toBeLessThanOrEqual(limit);
});

test('a leader that stood still while it renewed its lease does not lead by it', async () => {
  const [leader, second, third] = await processes.startThree(true);
  const request = leader.bus.state.request;
  leader.bus.state.request = (subject, ...rest) => {
    const answered = request(subject, ...rest);
    if (subject === '$KV.limits.leader') leader.pause();
    return answered;
  };
  await processes.passUntil(() => second.limiter.isLeader || third.limiter.isLeader);
  leader.resume();
  expect(leader.limiter.isLeader).toBe(false);
  await processes.pass(1_000);
  expect(leader.limiter.isLeader).toBe(false);
});
