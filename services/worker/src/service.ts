import { poolName, Server } from '@model-gateway/bus';
import { duration } from '@model-gateway/canonical';
import { openCatalog } from '@model-gateway/catalog';
import {
  Gauge,
  openUsageWriter,
  type Running,
  readMasterKey,
  type Service,
  type ServiceContext,
  usageNotices,
} from '@model-gateway/service';
import { Agent } from 'undici';
import { z } from 'zod';
import { answer } from './answer.ts';
import { Decoding } from './decoding.ts';
import { Upstreams } from './upstreams.ts';

/** Timeout for an upstream to accept a connection, in milliseconds. */
export const connectMs = 10_000;

const config = z.object({
  /** The pool whose calls this worker serves. */
  GATEWAY_POOL: z.string().regex(poolName).default('default'),
  /** The most concurrent calls; the last fifth is for tokens with less than half of the running calls. */
  GATEWAY_CAPACITY: z.coerce.number().int().positive().default(2_000),
  /** The most bytes of request bodies held at once. */
  GATEWAY_BODY_BUDGET: z.coerce.number().int().positive().default(256_000_000),
  /** Time for realtime sessions to end once the worker is draining. */
  GATEWAY_REALTIME_GRACE: duration.prefault('10s'),
  GATEWAY_DATA: z.string().default('.gateway'),
  GATEWAY_MASTER_KEY: z.string().optional(),
});
type WorkerConfig = z.infer<typeof config>;

/** Calls the upstream models and streams their answers over the bus. */
export const worker: Service<WorkerConfig> = { name: 'worker', config, start };

async function start(
  { bus: connect, log, metrics }: ServiceContext,
  settings: WorkerConfig,
): Promise<Running> {
  const bus = await connect();
  const { catalog, watch } = await openCatalog(bus);
  const upstreams = new Upstreams(catalog, readMasterKey(settings));
  // Attempts have their own timers, which stop while a client is slow.
  const dispatcher = new Agent({
    connections: null,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectMs },
  });
  const usage = openUsageWriter(bus, { log, metrics });
  const decoding = new Decoding();
  const draining = new AbortController();
  const sessions = { draining: draining.signal, graceMs: settings.GATEWAY_REALTIME_GRACE };
  const server = await Server.open(bus, {
    pool: settings.GATEWAY_POOL,
    capacity: settings.GATEWAY_CAPACITY,
    bodyBudget: settings.GATEWAY_BODY_BUDGET,
    serve: call => void answer(call, { catalog, upstreams, dispatcher, log, usage, decoding, sessions }),
  });
  new Gauge({
    name: 'gateway_calls_running',
    help: 'Calls being served',
    registers: [metrics],
    collect() {
      this.set(server.load);
    },
  });
  return {
    problems: () => (bus.connected() ? [] : ['NATS cannot be reached']),
    notices: () => usageNotices(usage),
    drain() {
      draining.abort();
      return server.drain();
    },
    async close() {
      server.close();
      decoding.stop();
      await usage.close();
      watch.stop();
      await dispatcher.destroy();
    },
  };
}
