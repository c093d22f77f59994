import { type Bus, type StoreClients, storeClients } from '@model-gateway/bus';
import type { Timer } from '@model-gateway/clock';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from 'nats';
import { StoreFullError } from './full.ts';

/** Fill level from which nothing new is stored, so that logs and values already begun can be completed. */
export const mostly = 0.9;
const probeMs = 1_000;
/** Time for which a start waits for control to create the stream, in milliseconds. */
const patienceMs = 10_000;
const retryMs = 100;

/** A stream that control creates, checked each second. */
export class StoredStream {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly #bus: Bus;
  readonly #name: string;
  #probe: Timer | undefined;
  #problem: Error | undefined = new Error('the stream was not checked yet');
  #closed = false;
  #bytes = 0;
  #maxBytes = Number.POSITIVE_INFINITY;

  private constructor(bus: Bus, { connection, client, manager }: StoreClients, name: string) {
    this.#bus = bus;
    this.connection = connection;
    this.client = client;
    this.manager = manager;
    this.#name = name;
  }

  /** Waits up to 10 s for control to create the stream. Without it nothing can be stored; all else works. */
  static async open(bus: Bus, name: string): Promise<StoredStream> {
    const stream = new StoredStream(bus, await storeClients(bus), name);
    const { clock } = bus;
    const giveUp = clock.now() + patienceMs;
    await stream.#check();
    while (!stream.#exists && clock.now() < giveUp) {
      await clock.sleep(retryMs);
      await stream.#check();
    }
    stream.#follow();
    return stream;
  }

  /** The reason that nothing new can be stored, {@link StoreFullError} or a NATS error; undefined if there is none. */
  get problem(): Error | undefined {
    return this.#bus.isUp('store') ? this.#problem : new Error('NATS cannot be reached');
  }

  /** Bytes in the stream: those of the last check, and those that this process has written since. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The stream's `max_bytes`, per server. */
  get maxBytes(): number {
    return this.#maxBytes;
  }

  /** Counts bytes that this process wrote; negative for bytes that it removed. */
  wrote(bytes: number): void {
    this.#bytes += bytes;
  }

  get #exists(): boolean {
    return !this.#problem || this.#problem instanceof StoreFullError;
  }

  close(): void {
    this.#bus.clock.clearTimeout(this.#probe);
    this.#closed = true;
  }

  async #check(): Promise<void> {
    try {
      const { state, config } = await this.manager.streams.info(this.#name);
      this.#bytes = state.bytes;
      this.#maxBytes = config.max_bytes;
      const isFull = state.bytes > mostly * config.max_bytes;
      this.#problem = isFull ? new StoreFullError(`the NATS stream ${this.#name} is full`) : undefined;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      this.#problem = new Error(`the NATS stream ${this.#name} is unavailable: ${why}`, { cause });
    }
  }

  #follow(): void {
    this.#probe = this.#bus.clock
      .setTimeout(async () => {
        await this.#check();
        if (!this.#closed) this.#follow();
      }, probeMs)
      .unref();
  }
}
