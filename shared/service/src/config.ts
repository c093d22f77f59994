import { z } from 'zod';

export type Env = Record<string, string | undefined>;

/** A configuration that cannot be used; its message names each setting and what is wrong with it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads settings from the environment by a schema. An empty variable counts as unset.
 * @throws ConfigError
 */
export function readConfig<T>(schema: z.ZodType<T>, env: Env = process.env): T {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = schema.safeParse(set);
  if (result.success) return result.data;
  const problems = result.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`);
  throw new ConfigError(problems.join('; '));
}

/** The settings that every process has. */
export const commonConfig = z.object({
  HOST: z.string().default('127.0.0.1'),
  /** Where the service answers its own routes, where it has any; 0 is any free port. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  OPS_HOST: z.string().default('127.0.0.1'),
  /** Where the process answers /healthz, /readyz and /metrics; 0 is any free port. */
  OPS_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  NATS_URL: z.string().default('nats://127.0.0.1:4222'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** How long running work may go on after SIGTERM. */
  GATEWAY_DRAIN: z.string().default('30s'),
});
