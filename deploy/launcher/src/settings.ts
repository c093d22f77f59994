import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { duration } from '@model-gateway/canonical';
import { commonConfig } from '@model-gateway/service';
import { z } from 'zod';

/** The most processes of one service on one machine. */
const maxProcesses = 64;
/** The most processes of one service by default, since each takes memory even when it is idle. */
const mostByDefault = 4;

/** Returns the default number of workers, and of fronts: half of the cores each. */
export function processesFor(cores: number): number {
  return Math.min(Math.max(Math.floor(cores / 2), 1), mostByDefault);
}

const processCount = z.coerce
  .number()
  .int()
  .min(1)
  .max(maxProcesses)
  .default(() => processesFor(availableParallelism()));
const path = z.string().transform(text => resolve(text));

/** The settings of `npm start`, from the environment. The services read further ones themselves. */
export const settings = z.object({
  HOST: commonConfig.shape.HOST,
  /** The port for clients; 0 is any free port. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  /** PEM files for TLS with clients; both or neither. */
  GATEWAY_TLS_CERT: path.optional(),
  GATEWAY_TLS_KEY: path.optional(),
  /** Read by the front, and checked here to report a mistake at once. */
  GATEWAY_TRUSTED_PROXIES: commonConfig.shape.GATEWAY_TRUSTED_PROXIES,
  GATEWAY_ADDRESS_CONNECTIONS: commonConfig.shape.GATEWAY_ADDRESS_CONNECTIONS,
  GATEWAY_CONNECTIONS: commonConfig.shape.GATEWAY_CONNECTIONS,
  /** The folder that holds all state. */
  GATEWAY_DATA: path.prefault('.gateway'),
  /** The number of workers, and of fronts, which share PORT; by default derived from the available cores. */
  GATEWAY_WORKERS: processCount,
  GATEWAY_FRONTS: processCount,
  /** The path of a catalog; if absent, one is generated from the providers of this machine. */
  GATEWAY_CONFIG: path.optional(),
  /** The admin API's bearer token; if absent, one is created and stored in GATEWAY_DATA. */
  GATEWAY_ADMIN_TOKEN: z.string().optional(),
  /** The file to write once requests can be served. */
  GATEWAY_READY_FILE: path.optional(),
  /** The URL of a running NATS with JetStream; if absent, a nats-server is started. */
  NATS_URL: z.string().optional(),
  /** The time for running requests to finish after a signal to stop. */
  GATEWAY_DRAIN: duration.prefault(commonConfig.shape.GATEWAY_DRAIN.parse(undefined)),
});

export type Settings = z.infer<typeof settings>;

/** Returns the names of a service's processes: `front`, `front-2`, `front-3`. */
export function processNames(service: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => (i === 0 ? service : `${service}-${i + 1}`));
}

/** Returns the service of a process name. */
export function serviceOf(name: string): string {
  return name.replace(/-\d+$/, '');
}
