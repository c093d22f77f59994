import type { StoredOptions } from '@model-gateway/bus';
import { duration } from '@model-gateway/canonical';
import { z } from 'zod';

/** The settings of the streams that control creates for what ingresses store. */
export const storedConfig = z.object({
  /** The number of NATS servers of a cluster that store the state. */
  GATEWAY_NATS_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  /** The time for which a response is stored. */
  GATEWAY_RESPONSES_TTL: duration.prefault('24h'),
  /** The most bytes that stored responses, their events and background jobs may take on a NATS server. */
  GATEWAY_RESPONSES_BYTES: z.coerce.number().int().min(1_000_000).default(3_000_000_000),
  /** The most bytes that client secrets of realtime sessions may take on a NATS server. */
  GATEWAY_REALTIME_SECRETS_BYTES: z.coerce.number().int().min(1_000_000).default(64_000_000),
});

/** Control's settings, as environment variables. */
export const controlConfig = storedConfig.extend({
  /** A PostgreSQL database; if absent, an embedded one in GATEWAY_DATA, which only one control can use. */
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')
    .optional(),
  /** The folder that holds all state. */
  GATEWAY_DATA: z.string().default('.gateway'),
  /** The path of gateway.yaml; if absent, the catalog in the database is unchanged. */
  GATEWAY_CONFIG: z.string().optional(),
  /** The admin API's bearer token; if absent, the file `admin-token` in GATEWAY_DATA, which is created on first use. */
  GATEWAY_ADMIN_TOKEN: z.string().optional(),
  /** 32 bytes in base64 or hex; if absent, the file `master-key` in GATEWAY_DATA, which is created on first use. */
  GATEWAY_MASTER_KEY: z.string().optional(),
  /** The secret of a token that exists from the start and never expires. */
  GATEWAY_FIRST_TOKEN: z
    .string()
    .regex(/^sk-[\w-]{32,}$/, 'must be sk- and at least 32 letters, digits, _ or -')
    .optional(),
  /** The SHA-256 of that secret in hex, in place of the secret. Only one of the two may be set. */
  GATEWAY_FIRST_TOKEN_SHA256: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'must be a SHA-256 in hex: 64 digits')
    .optional(),
});

export type ControlConfig = z.infer<typeof controlConfig>;

export function storedOptions(config: z.infer<typeof storedConfig>): StoredOptions {
  return {
    replicas: config.GATEWAY_NATS_REPLICAS,
    responsesMs: config.GATEWAY_RESPONSES_TTL,
    responsesBytes: config.GATEWAY_RESPONSES_BYTES,
    secretsBytes: config.GATEWAY_REALTIME_SECRETS_BYTES,
  };
}
