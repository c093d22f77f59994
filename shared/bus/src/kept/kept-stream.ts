import {
  DiscardPolicy,
  type JetStreamManager,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import type { Bus } from '../connection.ts';
import { streams } from '../jet-stream.ts';
import { Full } from './full.ts';

/** From this part of the room on nothing new is begun, so that what has begun finds room to end. */
export const mostly = 0.9;
const probeMs = 1_000;

export interface StreamOptions {
  /** On how many NATS servers it is kept. */
  replicas: number;
  /** The most bytes on each of them. */
  maxBytes: number;
}

type Config = Partial<StreamConfig> & Pick<StreamConfig, 'name'>;

/** Makes a stream where there is none, or gives it these options. One that is full refuses, and forgets nothing. */
export function makeStream(
  manager: JetStreamManager,
  config: Config,
  { replicas, maxBytes }: StreamOptions,
): Promise<StreamInfo> {
  const all = {
    ...config,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_bytes: maxBytes,
    num_replicas: replicas,
  };
  return manager.streams.add(all).catch(() => manager.streams.update(config.name, all));
}

/** A stream that is made as soon as NATS can, and is looked at each second. */
export class KeptStream {
  readonly manager: JetStreamManager;
  readonly #bus: Bus;
  readonly #config: Config;
  readonly #options: StreamOptions;
  #probe: NodeJS.Timeout | undefined;
  #problem: Error | undefined = new Error('nothing was kept yet');
  #closed = false;
  #bytes = 0;

  private constructor(bus: Bus, manager: JetStreamManager, config: Config, options: StreamOptions) {
    this.#bus = bus;
    this.manager = manager;
    this.#config = config;
    this.#options = options;
  }

  static async open(bus: Bus, config: Config, options: StreamOptions): Promise<KeptStream> {
    const stream = new KeptStream(bus, await streams(bus), config, options);
    await stream.#look();
    return stream;
  }

  /** Why nothing new is to be kept now: {@link Full}, or what NATS says. */
  get problem(): Error | undefined {
    return this.#bus.connected() ? this.#problem : new Error('NATS cannot be reached');
  }

  /** The bytes that it holds: those of the last look, and those that this process has written since. */
  get bytes(): number {
    return this.#bytes;
  }

  /** This process has written bytes, or removed some. */
  wrote(bytes: number): void {
    this.#bytes += bytes;
  }

  close(): void {
    clearTimeout(this.#probe);
    this.#closed = true;
  }

  async #look(): Promise<void> {
    try {
      const isThere = !this.#problem || this.#problem instanceof Full;
      const { state } = await (isThere
        ? this.manager.streams.info(this.#config.name)
        : makeStream(this.manager, this.#config, this.#options));
      this.#bytes = state.bytes;
      const isFull = state.bytes > mostly * this.#options.maxBytes;
      this.#problem = isFull ? new Full(`${this.#config.name} is full`) : undefined;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      this.#problem = new Error(`nothing can be kept: ${why}`, { cause });
    }
    if (!this.#closed) this.#probe = setTimeout(() => this.#look(), probeMs).unref();
  }
}
