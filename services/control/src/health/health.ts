import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BucketName,
  type BucketReader,
  type BucketWatch,
  type Bus,
  watchBucket,
} from '@model-gateway/bus';
import { Catalog } from '@model-gateway/catalog';
import { gauges, type Registry } from '@model-gateway/service';
import { whenConnected } from '../common/when-connected.ts';
import { Rests } from './rests.ts';
import { type Followed, type KeyState, keyStates, type TargetState, targetStates } from './target-states.ts';

/** The longest time in which a bucket is read, and the pause before it is read again, in milliseconds. */
const loadMs = 10_000;
const retryMs = 1_000;

/** Follows the state of all targets and keys in NATS, and measures it. */
export class HealthFollower {
  readonly #catalog = new Catalog();
  readonly #rests = new Rests();
  /** Returns true if the buckets were read and their latest changes are known. */
  #isCurrent: () => boolean = () => false;

  constructor(metrics: Registry) {
    this.#measure(metrics);
  }

  /** Follows the buckets until the signal aborts. */
  async follow(bus: () => Promise<Bus>, signal: AbortSignal): Promise<void> {
    const connected = await whenConnected(bus, signal);
    if (!connected) return;
    const watches = await Promise.all([
      watchUntil(signal, connected, 'catalog', this.#catalog),
      watchUntil(signal, connected, 'health', this.#rests),
    ]);
    this.#isCurrent = () => connected.connected() && watches.every(watch => watch?.staleMs() === 0);
  }

  /** Returns what is known; undefined while it may be out of date. `now` is in milliseconds since 1970. */
  current(now: number): Followed | undefined {
    return this.#isCurrent() ? { catalog: this.#catalog, rests: this.#rests.all(now) } : undefined;
  }

  /** Returns the pools of all targets; none while the catalog may be out of date. */
  pools(): string[] {
    const followed = this.current(Date.now());
    const names = new Set(allTargets(followed).map(({ provider }) => provider));
    const providers = followed?.catalog.providers().filter(({ name }) => names.has(name)) ?? [];
    return [...new Set(providers.map(({ pool = 'default' }) => pool))];
  }

  #measure(metrics: Registry): void {
    const current = () => this.current(Date.now());
    gauges(metrics, 'gateway_target_resting', () =>
      allTargets(current()).flatMap(({ provider, pattern: model, rest }) =>
        rest ? [[{ provider, model, reason: rest.reason }, 1]] : [],
      ),
    );
    gauges(metrics, 'gateway_key_resting', () =>
      allKeys(current()).flatMap(({ provider, key = '', rest }) =>
        rest ? [[{ provider, key, reason: rest.reason }, 1]] : [],
      ),
    );
  }
}

function allTargets(followed: Followed | undefined): TargetState[] {
  return followed ? followed.catalog.allModels().flatMap(model => targetStates(followed, model)) : [];
}

function allKeys(followed: Followed | undefined): KeyState[] {
  return followed ? keyStates(followed) : [];
}

/** Watches a bucket until the signal aborts, and tries again as long as it cannot be read. */
async function watchUntil(
  signal: AbortSignal,
  bus: Bus,
  name: BucketName,
  reader: BucketReader,
): Promise<BucketWatch | undefined> {
  while (!signal.aborted) {
    try {
      const watch = await watchBucket(bus, name, reader, loadMs);
      if (signal.aborted) watch.stop();
      signal.addEventListener('abort', () => watch.stop(), { once: true });
      return watch;
    } catch {
      await sleep(retryMs, undefined, { signal }).catch(() => {});
    }
  }
  return undefined;
}
