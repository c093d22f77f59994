import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { trustedProxies } from './trusted-proxies.ts';

export type Env = Record<string, string | undefined>;

/** A configuration that cannot be used; its message names each setting and what is wrong with it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads settings from the environment by a schema. An empty variable counts as unset. Where NAME is not set,
 * NAME_FILE may name a file that holds it, as containers are given their secrets.
 * @throws ConfigError
 */
export function readConfig<T>(schema: z.ZodType<T>, env: Env = process.env): T {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = schema.safeParse(withFiles(set));
  if (result.success) return result.data;
  const problems = result.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`);
  throw new ConfigError(problems.join('; '));
}

/** Files are read by getters: only for settings that the schema asks for, as GATEWAY_READY_FILE is one of itself. */
function withFiles(env: Env): Env {
  const all = { ...env };
  for (const [file, path] of Object.entries(env)) {
    const name = file.replace(/_FILE$/, '');
    if (name === file || name in env || !path) continue;
    Object.defineProperty(all, name, { enumerable: true, get: () => readSetting(file, path) });
  }
  return all;
}

function readSetting(name: string, path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    throw new ConfigError(`${name}: ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** The settings that every process has. */
export const commonConfig = z.object({
  HOST: z.string().default('127.0.0.1'),
  /** Where the service answers its own routes, where it has any; 0 is any free port. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /** The descriptor of a bound socket that the process inherits: it takes the place of HOST and PORT, and other processes may have it too. */
  LISTEN_FD: z.coerce.number().int().min(3).optional(),
  OPS_HOST: z.string().default('127.0.0.1'),
  /** Where the process answers /healthz, /readyz and /metrics; 0 is any free port. */
  OPS_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /** PEM files, both or neither: with them the service answers its own routes over TLS. */
  GATEWAY_TLS_CERT: z.string().optional(),
  GATEWAY_TLS_KEY: z.string().optional(),
  /** The proxies before the service: addresses and CIDR ranges, separated by commas. Their `X-Forwarded-For` is believed. */
  GATEWAY_TRUSTED_PROXIES: trustedProxies.prefault(''),
  /** The most open connections of one client address, of IPv6 of one /64; 0 is no limit. */
  GATEWAY_ADDRESS_CONNECTIONS: z.coerce.number().int().nonnegative().default(2_000),
  /** The most open connections of the process; by default as many as its files allow, and at most 20,000. */
  GATEWAY_CONNECTIONS: z.coerce.number().int().positive().optional(),
  NATS_URL: z.string().default('nats://127.0.0.1:4222'),
  /** PEM files for TLS to NATS: the authorities that sign its certificate, and the service's own certificate and key. */
  NATS_TLS_CA: z.string().optional(),
  NATS_TLS_CERT: z.string().optional(),
  NATS_TLS_KEY: z.string().optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** How long running work may go on after SIGTERM. */
  GATEWAY_DRAIN: z.string().default('30s'),
});
export type CommonConfig = z.infer<typeof commonConfig>;
