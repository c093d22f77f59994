import { setImmediate as endOfTurn } from 'node:timers/promises';
import { ManualClock } from '@model-gateway/clock/testing';
import { vi } from 'vitest';
import { type Bus, connectBus } from '../connection.ts';
import type { OnFault } from '../faults.ts';

const stepMs = 50;

/**
 * The time of buses. It stands still until the test lets it pass, and in each step all messages arrive: what a test sees does
 * not depend on the speed of the machine.
 */
export class PassingTime {
  readonly clock = new ManualClock();
  readonly #buses: Bus[] = [];

  /** `onFault` is called with what callbacks throw. */
  async connect(url: string, name = 'test', onFault?: OnFault): Promise<Bus> {
    const bus = await connectBus({ url, name, clock: this.clock, ...(onFault && { onFault }) });
    this.#buses.push(bus);
    return bus;
  }

  /** Closes the buses. */
  async close(): Promise<void> {
    await Promise.all(this.#buses.splice(0).map(bus => bus.close()));
  }

  /** Resolves once all messages have arrived, and those that were sent because of them. */
  async arrive(): Promise<void> {
    for (let before = -1; before !== this.#messages; ) {
      before = this.#messages;
      // Frames are sent at the end of a turn.
      await endOfTurn();
      // The server has what was sent before the first answer, and its receivers have it before the second.
      for (let i = 0; i < 2; i++) await Promise.all(this.#connections.map(connection => connection.flush()));
    }
  }

  /** Lets time pass, in milliseconds, by `step` at once: less than the longest silence of a heartbeat. */
  async pass(ms: number, step = stepMs): Promise<void> {
    await this.arrive();
    for (let left = ms; left > 0; left -= step) {
      await this.clock.advance(Math.min(step, left));
      await this.arrive();
    }
  }

  /** Lets time pass until `check` returns true; returns how much, in milliseconds. @throws Error if it is more than `mostMs` */
  async until(check: () => boolean, mostMs = 60_000): Promise<number> {
    await this.arrive();
    for (let ms = 0; ms <= mostMs; ms += stepMs) {
      if (check()) return ms;
      await this.pass(stepMs);
    }
    throw new Error(`it did not happen within ${mostMs} ms`);
  }

  /**
   * Waits for what comes by itself, as the answers of JetStream do: looks whether `check` passes, and lets time pass by `stepMs`
   * before each look.
   */
  async eventually(check: () => void | Promise<void>, stepMs = 250): Promise<void> {
    const look = async () => {
      await this.clock.advance(stepMs);
      await check();
    };
    await vi.waitFor(look, { timeout: 60_000 });
  }

  /** Resolves with `work`. Meanwhile time passes by `stepMs` at each look: what NATS does not answer in time is tried again later. */
  async during<T>(work: Promise<T>, stepMs = 50): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    work.then(over, over);
    await this.eventually(() => {
      if (!isOver) throw new Error('it takes longer');
    }, stepMs);
    return work;
  }

  get #connections() {
    return this.#buses.flatMap(({ open }) => [...open.values()]).filter(each => !each.isClosed());
  }

  /** Number of messages that were sent or have arrived. */
  get #messages(): number {
    return this.#buses
      .flatMap(({ open }) => [...open.values()].map(connection => connection.stats()))
      .reduce((sum, { inMsgs, outMsgs }) => sum + inMsgs + outMsgs, 0);
  }
}
