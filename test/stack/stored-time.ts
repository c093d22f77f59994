import { connectBus, storedStreams } from '@model-gateway/bus';
import type { PassingTime } from '@model-gateway/bus/testing/passing-time';
import { jetstreamManager, type StreamAPI } from '@nats-io/jetstream';
import type { Stack } from './stack.ts';

const { stream } = storedStreams.responses;

/**
 * Moves time for what is stored. NATS expires by its own time, which no test can move, so this removes what is older than its
 * time to live by the test's.
 */
export class StoredTime {
  readonly #streams: StreamAPI;
  readonly #time: PassingTime;
  readonly #ttlMs: number;
  /** The last message that was stored by some moments. */
  readonly #stored: { at: number; last: number }[] = [];
  readonly close: () => Promise<void>;

  private constructor(streams: StreamAPI, time: PassingTime, ttlMs: number, close: () => Promise<void>) {
    this.#streams = streams;
    this.#time = time;
    this.#ttlMs = ttlMs;
    this.close = close;
  }

  static async open({ nats }: Stack, time: PassingTime, ttlMs: number): Promise<StoredTime> {
    const bus = await connectBus({ url: nats.url, name: 'expiry' });
    const { streams } = await jetstreamManager(bus.state, { timeout: 60_000 });
    return new StoredTime(streams, time, ttlMs, () => bus.close());
  }

  async pass(ms: number): Promise<void> {
    const { clock } = this.#time;
    this.#stored.push({ at: clock.now(), last: (await this.#streams.info(stream)).state.last_seq });
    clock.jump(ms);
    const expired = this.#stored.findLast(({ at }) => clock.now() - at > this.#ttlMs);
    if (expired) await this.#streams.purge(stream, { seq: expired.last + 1 });
  }
}
