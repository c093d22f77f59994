import { setTimeout as sleep } from 'node:timers/promises';
import type { JetStreamManager } from '@nats-io/jetstream';
import type { Bus } from '../connection.ts';
import { streams } from '../jet-stream.ts';
import { StoreFullError } from './full.ts';

/** From this part of the room on nothing new is begun, so that what has begun finds room to end. */
export const mostly = 0.9;
const probeMs = 1_000;
/** The time for which a start waits for control to make the stream, in milliseconds. */
const patienceMs = 10_000;
const retryMs = 100;

/** A stream that control makes, looked at each second. */
export class StoredStream {
  readonly manager: JetStreamManager;
  readonly #bus: Bus;
  readonly #name: string;
  #probe: NodeJS.Timeout | undefined;
  #problem: Error | undefined = new Error('nothing was kept yet');
  #closed = false;
  #bytes = 0;
  #maxBytes = Number.POSITIVE_INFINITY;

  private constructor(bus: Bus, manager: JetStreamManager, name: string) {
    this.#bus = bus;
    this.manager = manager;
    this.#name = name;
  }

  /** Waits for control to make the stream, for 10 s at most: without it nothing can be kept, and all else works. */
  static async open(bus: Bus, name: string): Promise<StoredStream> {
    const stream = new StoredStream(bus, await streams(bus), name);
    const giveUp = Date.now() + patienceMs;
    await stream.#look();
    while (!stream.#isThere && Date.now() < giveUp) {
      await sleep(retryMs);
      await stream.#look();
    }
    stream.#follow();
    return stream;
  }

  /** Why nothing new is to be kept now: {@link StoreFullError}, or what NATS says. */
  get problem(): Error | undefined {
    return this.#bus.connected() ? this.#problem : new Error('NATS cannot be reached');
  }

  /** The bytes that it holds: those of the last look, and those that this process has written since. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The most bytes that it may hold on a server. */
  get maxBytes(): number {
    return this.#maxBytes;
  }

  /** This process has written bytes, or removed some. */
  wrote(bytes: number): void {
    this.#bytes += bytes;
  }

  get #isThere(): boolean {
    return !this.#problem || this.#problem instanceof StoreFullError;
  }

  close(): void {
    clearTimeout(this.#probe);
    this.#closed = true;
  }

  async #look(): Promise<void> {
    try {
      const { state, config } = await this.manager.streams.info(this.#name);
      this.#bytes = state.bytes;
      this.#maxBytes = config.max_bytes;
      const isFull = state.bytes > mostly * config.max_bytes;
      this.#problem = isFull ? new StoreFullError(`${this.#name} is full`) : undefined;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      this.#problem = new Error(`nothing can be kept: ${why}`, { cause });
    }
  }

  #follow(): void {
    this.#probe = setTimeout(async () => {
      await this.#look();
      if (!this.#closed) this.#follow();
    }, probeMs).unref();
  }
}
