import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { trustedProxies } from './trusted-proxies.ts';

export type Env = Record<string, string | undefined>;

/** An invalid configuration; its message names each setting and the problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads settings from the environment by a schema. An empty variable counts as unset. If NAME is not set,
 * NAME_FILE may name a file with its value, which is how containers receive secrets.
 * @throws ConfigError
 */
export function readConfig<T>(schema: z.ZodType<T>, env: Env = process.env): T {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = schema.safeParse(withFiles(set));
  if (result.success) return result.data;
  const problems = result.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`);
  throw new ConfigError(problems.join('; '));
}

/**
 * Adds getters that read the files, so that only settings of the schema are read: GATEWAY_READY_FILE, for
 * example, is itself a setting.
 */
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

/** Settings of every process. */
export const commonConfig = z.object({
  HOST: z.string().default('127.0.0.1'),
  /** Port of the service's own routes, if it has any; 0 is any free port. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /** Descriptor of an inherited bound socket, used instead of HOST and PORT; other processes may share it. */
  LISTEN_FD: z.coerce.number().int().min(3).optional(),
  OPS_HOST: z.string().default('127.0.0.1'),
  /** Port of /healthz, /readyz and /metrics; 0 is any free port. */
  OPS_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /** PEM files, both or neither: if set, the service serves its own routes over TLS. */
  GATEWAY_TLS_CERT: z.string().optional(),
  GATEWAY_TLS_KEY: z.string().optional(),
  /** Proxies whose `X-Forwarded-For` is trusted: addresses and CIDR ranges, separated by commas. */
  GATEWAY_TRUSTED_PROXIES: trustedProxies.prefault(''),
  /** The most open connections of one client address, or of one /64 for IPv6; 0 is no limit. */
  GATEWAY_ADDRESS_CONNECTIONS: z.coerce.number().int().nonnegative().default(2_000),
  /** The most open connections of the process. Default: 3/4 of the files that it may open, at most 20,000. */
  GATEWAY_CONNECTIONS: z.coerce.number().int().positive().optional(),
  NATS_URL: z.string().default('nats://127.0.0.1:4222'),
  /**
   * PEM files for TLS to NATS: certificates of the trusted CAs, and the service's own certificate and key.
   */
  NATS_TLS_CA: z.string().optional(),
  NATS_TLS_CERT: z.string().optional(),
  NATS_TLS_KEY: z.string().optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** Time that running work may take to finish after SIGTERM. */
  GATEWAY_DRAIN: z.string().default('30s'),
});
export type CommonConfig = z.infer<typeof commonConfig>;
