import { setImmediate as turn } from 'node:timers/promises';
import { type Bus, connectBus } from '@model-gateway/bus';
import { ManualClock } from '@model-gateway/clock/testing';
import type { Status } from 'nats';
import { Limiter, type LimitsPolicy } from '../limits/limiter.ts';
import type { Counted } from '../limits/limits.ts';
import type { Slot } from '../limits/running.ts';

export interface Process {
  limiter: Limiter;
  bus: Bus;
  /** Closes its connections: a process that is killed says nothing more. */
  kill(): Promise<void>;
  /** Lets it stand still: it reads nothing, and its time does not go on. It needs a clock of its own. */
  pause(): void;
  /** Lets it go on. Its timers run late and once, before it reads what has come. */
  resume(): void;
  /** Loses all messages to it. */
  deafen(): void;
  /** Cuts it off from NATS. */
  cut(): void;
  /** Lets it hear again what is sent from now on. */
  restore(): void;
}

/** The messages between a process and NATS, which a test may hold back or lose. */
class Line {
  state: 'whole' | 'held' | 'deaf' | 'cut' = 'whole';
  #held: (() => void)[] = [];
  #reconnects: (() => void)[] = [];

  read(read: () => void): void {
    if (this.state === 'whole') read();
    else if (this.state === 'held') this.#held.push(read);
  }

  restore(): void {
    const wasCut = this.state === 'cut';
    this.state = 'whole';
    for (const read of this.#held.splice(0)) read();
    if (wasCut) for (const reconnect of this.#reconnects.splice(0)) reconnect();
  }

  /** Returns the times at which the line was restored after a cut, as a connection does. */
  async *status(): AsyncGenerator<Status> {
    for (;;) {
      await new Promise<void>(resolve => this.#reconnects.push(resolve));
      yield { type: 'reconnect', server: '' };
    }
  }
}

/** The clock of one process. */
interface OwnClock {
  clock: ManualClock;
  /** The time of all when it started. */
  from: number;
  isHeld: boolean;
}

/** The steps in which several clocks move, in milliseconds. */
const stepMs = 50;

/** Processes that apply limits together, over a real nats-server. Their time stands still until the test moves it. */
export class Processes {
  readonly clock = new ManualClock();
  readonly #url: string;
  readonly #connections: Bus['calls'][] = [];
  readonly #closers: (() => Promise<unknown>)[] = [];
  /** The number of requests to JetStream that are not answered. */
  #asked = 0;
  #probes = 0;
  readonly #lines = new Map<Bus, Line>();
  readonly #ownClocks: OwnClock[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }

  async connect(name = 'ingress', clock = this.clock): Promise<Bus> {
    const bus = await connectBus({ url: this.#url, name, clock });
    const line = new Line();
    this.#lines.set(bus, line);
    this.#closers.push(() => bus.close());
    this.#connections.push(bus.calls, bus.state);
    const { connected } = bus;
    bus.connected = () => line.state !== 'cut' && connected();
    bus.calls.status = () => line.status();
    const request = bus.state.request.bind(bus.state);
    bus.state.request = async (...args) => {
      if (line.state === 'cut') throw new Error('NATS cannot be reached');
      this.#asked++;
      try {
        return await request(...args);
      } finally {
        this.#asked--;
        if (line.state === 'held') await new Promise<void>(resolve => line.read(resolve));
      }
    };
    const subscribe = bus.calls.subscribe.bind(bus.calls);
    bus.calls.subscribe = (subject, { callback, ...options } = {}) =>
      subscribe(subject, {
        ...options,
        ...(callback && { callback: (error, message) => line.read(() => callback(error, message)) }),
      });
    return bus;
  }

  /** Starts a process that has a connection already. */
  on(bus: Bus, policy: LimitsPolicy = 'closed'): Process {
    const limiter = new Limiter(bus, policy);
    this.#closers.push(() => limiter.close());
    const line = this.#lines.get(bus) as Line;
    const own = this.#ownClocks.find(({ clock }) => clock === bus.options.clock);
    return {
      limiter,
      bus,
      kill: () => bus.calls.close().then(() => bus.state.close()),
      pause() {
        line.state = 'held';
        if (own) own.isHeld = true;
      },
      resume: () => {
        if (own) own.isHeld = false;
        own?.clock.jump(this.clock.monotonic() - own.from - own.clock.monotonic());
        line.restore();
      },
      deafen() {
        line.state = 'deaf';
      },
      cut() {
        line.state = 'cut';
      },
      restore: () => line.restore(),
    };
  }

  /** Starts a process with a clock of its own. */
  async startAlone(): Promise<Process> {
    const clock = new ManualClock();
    this.#ownClocks.push({ clock, from: this.clock.monotonic(), isHeld: false });
    return this.on(await this.connect('ingress', clock));
  }

  async start(policy?: LimitsPolicy): Promise<Process> {
    return this.on(await this.connect(), policy);
  }

  /** Starts three processes. The first is the leader, and the others ask it. `own`: true if each has a clock of its own. */
  async startThree(own = false): Promise<[Process, Process, Process]> {
    const start = () => (own ? this.startAlone() : this.start());
    const first = await start();
    await this.passUntil(() => first.limiter.isLeader);
    const [second, third] = [await start(), await start()];
    await this.untilLed(first, second, third);
    return [first, second, third];
  }

  /** Moves time until processes get their decisions from the leader, which has heard their beats and decides on budgets, too. */
  async untilLed(leader: Process, ...others: Process[]): Promise<void> {
    const probe = [{ key: JSON.stringify(['token', `probe ${++this.#probes}`]), concurrency: 1 }];
    const held = await this.passWhile(leader.limiter.take(probe, 0));
    for (let led = 0; led < others.length; ) {
      await this.pass(1_500);
      const refused = await Promise.all(others.map(({ limiter }) => this.isRefused(limiter, probe)));
      led = refused.filter(Boolean).length;
    }
    held.end();
  }

  /** Takes a slot for a moment; true if it is refused. */
  async isRefused(limiter: Limiter, counted: readonly Counted[]): Promise<boolean> {
    const slot = await this.passWhile(limiter.take(counted, 0));
    slot.end();
    return slot.refusal !== undefined;
  }

  /** Moves time by `ms`. All messages arrive in the moment in which they are sent. */
  async pass(ms: number): Promise<void> {
    await this.#arrive();
    const step = this.#ownClocks.length > 0 ? stepMs : ms;
    for (let left = ms; left > 0; left -= step) {
      await this.clock.advanceEach(Math.min(step, left), () => this.#arrive());
      for (const { clock, from, isHeld } of this.#ownClocks)
        if (!isHeld) await clock.advance(this.clock.monotonic() - from - clock.monotonic());
    }
    await this.#arrive();
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

export const passed = (slots: readonly Slot[]): Slot[] => slots.filter(({ refusal }) => !refusal);
