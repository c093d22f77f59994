import { type Bus, type PoolLoad, PoolLoads, poolName } from '@model-gateway/bus';
import { gauges, type Registry } from '@model-gateway/service';
import { Router } from 'express';
import { sendProblem } from '../api/errors.ts';
import { whenConnected } from '../common/when-connected.ts';

/** Serves the load of each worker pool to autoscalers: as JSON on the operator port, and as metrics. */
export class Pools {
  /** `GET /pools` and `GET /pools/<pool>`. Unknown load is a 503, since 0 would scale in a busy pool. */
  readonly routes: Router = Router();
  #loads: PoolLoads | undefined;

  /** `named` returns the pools that must have workers: the metrics have them without a live worker, too. */
  constructor(metrics: Registry, named: () => string[]) {
    this.#measure(metrics, named);
    this.routes.get('/pools', (_request, response) => {
      const pools = this.#loads?.all();
      if (pools) response.json({ pools });
      else sendProblem(response, unknownLoad);
    });
    this.routes.get('/pools/:pool', ({ params: { pool } }, response) => {
      if (!poolName.test(pool)) return sendProblem(response, badName);
      const load = this.#loads?.of(pool);
      if (load) response.json(load);
      else sendProblem(response, unknownLoad);
    });
  }

  /** Returns the load of every pool with a live worker; undefined if it is not known. */
  all(): PoolLoad[] | undefined {
    return this.#loads?.all();
  }

  /** True if a pool has live workers; undefined if that is unknown. */
  hasWorkers(pool: string): boolean | undefined {
    const load = this.#loads?.of(pool);
    return load && load.workers > 0;
  }

  /** Collects heartbeats until the signal aborts. */
  async listen(bus: () => Promise<Bus>, signal: AbortSignal): Promise<void> {
    const connected = await whenConnected(bus, signal);
    if (!connected || signal.aborted) return;
    this.#loads = new PoolLoads(connected);
    signal.addEventListener('abort', () => this.#loads?.stop(), { once: true });
  }

  #measure(metrics: Registry, named: () => string[]): void {
    const measured = () => {
      const live = this.#loads?.all();
      const without = named().filter(name => live?.every(({ pool }) => pool !== name));
      return [...(live ?? []), ...without.flatMap(name => this.#loads?.of(name) ?? [])];
    };
    const ofEach = (read: (load: PoolLoad) => number) => () =>
      measured().map((load): [{ pool: string }, number] => [{ pool: load.pool }, read(load)]);
    gauges(
      metrics,
      'gateway_pool_workers',
      ofEach(({ workers }) => workers),
    );
    gauges(
      metrics,
      'gateway_pool_calls_in_flight',
      ofEach(({ callsInFlight }) => callsInFlight),
    );
    gauges(
      metrics,
      'gateway_pool_capacity',
      ofEach(({ capacity }) => capacity),
    );
  }
}

const unknownLoad = {
  status: 503,
  detail: 'No worker heartbeats have been received yet, or NATS cannot be reached. Retry in a few seconds.',
  code: 'load_unknown',
  reason: 'load_unknown',
} as const;
const badName = {
  status: 400,
  detail: 'The name of a pool is 1 to 64 letters, digits, _ or -.',
  code: 'invalid_request',
};
