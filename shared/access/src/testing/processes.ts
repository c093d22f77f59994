import { setImmediate as turn } from 'node:timers/promises';
import { type Bus, connectBus } from '@model-gateway/bus';
import { ManualClock } from '@model-gateway/clock/testing';
import { Limiter } from '../limits/limiter.ts';
import type { Counted } from '../limits/limits.ts';
import type { Place } from '../limits/place.ts';
import type { WithoutLeader } from '../limits/without-leader.ts';

export interface Process {
  limiter: Limiter;
  bus: Bus;
  /** Closes its connections: a process that is killed says nothing more. */
  kill(): Promise<void>;
}

/** Processes that apply limits together, over a real nats-server. Their time stands still until the test moves it. */
export class Processes {
  readonly clock = new ManualClock();
  readonly #url: string;
  readonly #connections: Bus['calls'][] = [];
  readonly #closers: (() => Promise<unknown>)[] = [];
  /** The number of requests to JetStream that are not answered. */
  #asked = 0;
  #probes = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }

  async connect(name = 'ingress'): Promise<Bus> {
    const bus = await connectBus({ url: this.#url, name, clock: this.clock });
    this.#closers.push(() => bus.close());
    this.#connections.push(bus.calls, bus.state);
    const request = bus.state.request.bind(bus.state);
    bus.state.request = async (...args) => {
      this.#asked++;
      try {
        return await request(...args);
      } finally {
        this.#asked--;
      }
    };
    return bus;
  }

  /** Starts a process that has a connection already. */
  on(bus: Bus, { localMs = 60_000, policy = 'closed' }: Partial<WithoutLeader> = {}): Process {
    const limiter = new Limiter(bus, { localMs, policy });
    this.#closers.push(() => limiter.close());
    return { limiter, bus, kill: () => bus.calls.close().then(() => bus.state.close()) };
  }

  async start(withoutLeader?: Partial<WithoutLeader>): Promise<Process> {
    return this.on(await this.connect(), withoutLeader);
  }

  /** Starts three processes. The first is the leader, and the others ask it. */
  async startThree(): Promise<[Process, Process, Process]> {
    const first = await this.start();
    await this.passUntil(() => first.limiter.isLeader);
    const [second, third] = [await this.start(), await this.start()];
    await this.untilLed(first, second, third);
    return [first, second, third];
  }

  /** Moves time until processes get their decisions from the leader, which has heard their beats and decides on budgets, too. */
  async untilLed(leader: Process, ...others: Process[]): Promise<void> {
    const probe = [{ key: JSON.stringify(['token', `probe ${++this.#probes}`]), concurrency: 1 }];
    const held = await this.passWhile(leader.limiter.take(probe, 0));
    for (let led = 0; led < others.length; ) {
      await this.pass(1_500);
      // A process that decides alone does not know of the place that is held.
      const refused = await Promise.all(others.map(({ limiter }) => this.isRefused(limiter, probe)));
      led = refused.filter(Boolean).length;
    }
    held.end();
  }

  /** Takes a place for a moment; true if it is refused. */
  async isRefused(limiter: Limiter, counted: readonly Counted[]): Promise<boolean> {
    const place = await this.passWhile(limiter.take(counted, 0));
    place.end();
    return place.refusal !== undefined;
  }

  /** Moves time by `ms`. All messages arrive in the moment in which they are sent. */
  async pass(ms: number): Promise<void> {
    await this.#arrive();
    await this.clock.advanceEach(ms, () => this.#arrive());
  }

  /** Moves time until `check` returns true. @throws Error if it is still false after two minutes */
  async passUntil(check: () => boolean): Promise<void> {
    await this.#arrive();
    const giveUp = this.clock.monotonic() + 120_000;
    while (!check()) {
      if (this.clock.monotonic() > giveUp)
        throw new Error("it did not happen in two minutes of the test's clock");
      await this.pass(100);
    }
  }

  /** Moves time until a promise is settled; not at all if it is as soon as all messages have arrived. */
  async passWhile<Result>(waiting: Promise<Result>): Promise<Result> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    waiting.then(over, over);
    await turn();
    if (!isOver) await this.passUntil(() => isOver);
    return waiting;
  }

  /** Resolves once all messages have arrived, and those that were sent because of them. */
  async #arrive(): Promise<void> {
    let before = -1;
    // A message that was on its way in one round has arrived by the end of the next.
    for (let quiet = 0; quiet < 2; ) {
      const open = this.#connections.filter(each => !each.isClosed() && !each.isDraining());
      await Promise.all(open.map(each => each.flush()));
      await turn();
      const messages = open.reduce((sum, each) => sum + each.stats().inMsgs + each.stats().outMsgs, 0);
      quiet = messages === before && this.#asked === 0 ? quiet + 1 : 0;
      before = messages;
    }
  }
}

export const passed = (places: readonly Place[]): Place[] => places.filter(({ refusal }) => !refusal);
