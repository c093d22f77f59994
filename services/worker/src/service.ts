import { Server, UsageWriter } from '@model-gateway/bus';
import { duration } from '@model-gateway/canonical';
import { openCatalog, readMasterKey } from '@model-gateway/catalog';
import {
  Gauge,
  type Registry,
  type Running,
  type Service,
  type ServiceContext,
} from '@model-gateway/service';
import { Agent } from 'undici';
import { z } from 'zod';
import { answer } from './answer.ts';
import { Upstreams } from './upstreams.ts';

const config = z.object({
  /** Which pool's calls this worker takes. */
  GATEWAY_POOL: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .default('default'),
  /** How many calls it serves at once; the last fifth is for tokens that hold less than half of those it serves. */
  GATEWAY_CAPACITY: z.coerce.number().int().positive().default(2_000),
  /** The most bytes of request bodies that it holds at once. */
  GATEWAY_BODY_BUDGET: z.coerce.number().int().positive().default(256_000_000),
  /** How long realtime sessions may go on once the worker is to stop. */
  GATEWAY_REALTIME_GRACE: duration.prefault('10s'),
  GATEWAY_DATA: z.string().default('.gateway'),
  GATEWAY_MASTER_KEY: z.string().optional(),
});
type WorkerConfig = z.infer<typeof config>;

/** Calls the upstream models, and streams their answers back over the bus. */
export const worker: Service<WorkerConfig> = { name: 'worker', config, start };

async function start(
  { bus: connect, log, metrics }: ServiceContext,
  settings: WorkerConfig,
): Promise<Running> {
  const bus = await connect();
  const { catalog, watch } = await openCatalog(bus);
  const upstreams = new Upstreams(catalog, readMasterKey(settings));
  // The attempt has timers of its own, which stop while a client is slow.
  const dispatcher = new Agent({
    connections: null,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 10_000 },
  });
  const usage = new UsageWriter(bus);
  const draining = new AbortController();
  const sessions = { draining: draining.signal, graceMs: settings.GATEWAY_REALTIME_GRACE };
  const server = await Server.open(bus, {
    pool: settings.GATEWAY_POOL,
    capacity: settings.GATEWAY_CAPACITY,
    bodyBudget: settings.GATEWAY_BODY_BUDGET,
    serve: call => void answer(call, { catalog, upstreams, dispatcher, log, usage, sessions }),
  });
  measure(metrics, server, usage);
  return {
    problems: () => (bus.connected() ? [] : ['NATS cannot be reached']),
    drain() {
      draining.abort();
      return server.drain();
    },
    async close() {
      server.close();
      await usage.close();
      watch.stop();
      await dispatcher.destroy();
    },
  };
}

function measure(metrics: Registry, server: Server, usage: UsageWriter): void {
  const gauges: [string, string, () => number][] = [
    ['gateway_calls_running', 'Calls being served', () => server.load],
    ['gateway_usage_waiting', 'Usage records that NATS does not have yet', () => usage.waiting],
    ['gateway_usage_dropped', 'Usage records given up, since too many waited', () => usage.dropped],
  ];
  for (const [name, help, read] of gauges) {
    new Gauge({
      name,
      help,
      registers: [metrics],
      collect() {
        this.set(read());
      },
    });
  }
}
