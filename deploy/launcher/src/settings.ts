import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { duration } from '@model-gateway/canonical';
import { commonConfig } from '@model-gateway/service';
import { z } from 'zod';
import { mostProcesses, processesFor } from './processes.ts';

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
  /** A catalogue to take as it is; without one, it is made of what this machine offers. */
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
