import { resolve } from 'node:path';
import { settingSchemas as all } from '@model-gateway/service/configuration';
import { z } from 'zod';
import { defaultPort } from '../setup/port.mjs';

/** A path, relative to the folder in which the launcher runs. */
function absolute(schema: z.ZodOptional<z.ZodString>) {
  return schema.transform(text => (text === undefined ? undefined : resolve(text)));
}

/** The settings of `npm start`. The services read further ones themselves. */
export const settings = z.object({
  HOST: all.HOST,
  PORT: all.PORT.unwrap().default(defaultPort),
  GATEWAY_TLS_CERT: absolute(all.GATEWAY_TLS_CERT),
  GATEWAY_TLS_KEY: absolute(all.GATEWAY_TLS_KEY),
  GATEWAY_ADDRESS_CONNECTIONS: all.GATEWAY_ADDRESS_CONNECTIONS,
  GATEWAY_CONNECTIONS: all.GATEWAY_CONNECTIONS,
  GATEWAY_DATA: all.GATEWAY_DATA.transform(text => resolve(text)),
  GATEWAY_WORKERS: all.GATEWAY_WORKERS,
  GATEWAY_FRONTS: all.GATEWAY_FRONTS,
  GATEWAY_SCHEDULING: all.GATEWAY_SCHEDULING,
  GATEWAY_CONFIG: absolute(all.GATEWAY_CONFIG),
  GATEWAY_ADMIN_TOKEN: all.GATEWAY_ADMIN_TOKEN,
  GATEWAY_READY_FILE: absolute(all.GATEWAY_READY_FILE),
  /** If absent, a nats-server is started. */
  NATS_URL: all.NATS_URL.unwrap().optional(),
  GATEWAY_DRAIN: all.GATEWAY_DRAIN,
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
