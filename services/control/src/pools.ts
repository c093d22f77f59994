import { type Bus, type PoolLoad, PoolLoads, poolName } from '@model-gateway/bus';
import { Gauge, type Registry } from '@model-gateway/service';
import { Router } from 'express';
import { sendProblem } from './api/errors.ts';
import { whenConnected } from './when-connected.ts';

/** The gauges of a pool. */
const gauges = {
  gateway_pool_workers: {
    help: 'Live workers of a pool, including draining ones',
    read: ({ workers }: PoolLoad) => workers,
  },
  gateway_pool_calls_in_flight: {
    help: 'Calls in flight on the workers of a pool',
    read: ({ callsInFlight }: PoolLoad) => callsInFlight,
  },
  gateway_pool_capacity: {
    help: 'Calls that the workers of a pool can serve at once; a draining worker counts as 0',
    read: ({ capacity }: PoolLoad) => capacity,
  },
};

/** Serves the load of each worker pool to autoscalers: as JSON on the operator port, and as metrics. */
export class Pools {
  /** `GET /pools` and `GET /pools/<pool>`. Unknown load is a 503, since 0 would scale in a busy pool. */
  readonly routes: Router = Router();
  #loads: PoolLoads | undefined;

  constructor(metrics: Registry) {
    this.#measure(metrics);
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

  #measure(metrics: Registry): void {
    const all = () => this.#loads?.all() ?? [];
    for (const [name, { help, read }] of Object.entries(gauges)) {
      new Gauge({
        name,
        help,
        labelNames: ['pool'],
        registers: [metrics],
        collect() {
          this.reset();
          for (const load of all()) this.set({ pool: load.pool }, read(load));
        },
      });
    }
  }
}

const unknownLoad = {
  status: 503,
  detail: 'No worker heartbeats have been received yet, or NATS cannot be reached. Retry in a few seconds.',
  code: 'load_unknown',
};
const badName = {
  status: 400,
  detail: 'The name of a pool is 1 to 64 letters, digits, _ or -.',
  code: 'invalid_request',
};
