import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { duration } from '@model-gateway/canonical';
import { commonConfig } from '@model-gateway/service';
import { z } from 'zod';

/** The most processes of one service on one machine. */
const mostProcesses = 64;
/** The most processes of one service that are started without being asked for: each takes memory, also where it has nothing to do. */
export const mostByDefault = 4;

/** The number of workers, and of fronts, on a machine of so many cores: half of the cores each. */
export function processesFor(cores: number): number {
  return Math.min(Math.max(Math.floor(cores / 2), 1), mostByDefault);
}

const processCount = z.coerce
  .number()
  .int()
  .min(1)
  .max(mostProcesses)
  .default(() => processesFor(availableParallelism()));
const path = z.string().transform(text => resolve(text));

/** What `npm start` is told by its environment; the services read more of it for themselves. */
export const settings = z.object({
  HOST: commonConfig.shape.HOST,
  /** Where clients come in; 0 is any free port. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  /** PEM files, both or neither: with them clients come in over TLS. */
  GATEWAY_TLS_CERT: path.optional(),
  GATEWAY_TLS_KEY: path.optional(),
  /** Read by the front, and checked here so that a mistake is told at once. */
  GATEWAY_TRUSTED_PROXIES: commonConfig.shape.GATEWAY_TRUSTED_PROXIES,
  GATEWAY_ADDRESS_CONNECTIONS: commonConfig.shape.GATEWAY_ADDRESS_CONNECTIONS,
  GATEWAY_CONNECTIONS: commonConfig.shape.GATEWAY_CONNECTIONS,
  /** The folder that holds all state. */
  GATEWAY_DATA: path.prefault('.gateway'),
  /** The number of workers, and of fronts, which share PORT; by default by the cores that the launcher may use. */
  GATEWAY_WORKERS: processCount,
  GATEWAY_FRONTS: processCount,
  /** A catalog to take as it is; without one, it is made of what this machine offers. */
  GATEWAY_CONFIG: path.optional(),
  /** The admin API's bearer token; without one, it is made and kept in GATEWAY_DATA. */
  GATEWAY_ADMIN_TOKEN: z.string().optional(),
  /** The file to write once requests can be answered. */
  GATEWAY_READY_FILE: path.optional(),
  /** A NATS with JetStream that is running; without one, a nats-server is started. */
  NATS_URL: z.string().optional(),
  /** How long running requests may go on after a signal to stop. */
  GATEWAY_DRAIN: duration.prefault(commonConfig.shape.GATEWAY_DRAIN.parse(undefined)),
});

export type Settings = z.infer<typeof settings>;

/** The names of several processes of one service: `front`, `front-2`, `front-3`. */
export function processNames(service: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => (i === 0 ? service : `${service}-${i + 1}`));
}

/** The service that a process of such a name runs. */
export function serviceOf(name: string): string {
  return name.replace(/-\d+$/, '');
}
