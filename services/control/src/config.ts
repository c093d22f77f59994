import { z } from 'zod';

/** Control's settings, as environment variables. */
export const controlConfig = z.object({
  /** A PostgreSQL database; where absent, one of its own in GATEWAY_DATA, for one control alone. */
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')
    .optional(),
  /** The folder of all state. */
  GATEWAY_DATA: z.string().default('.gateway'),
  /** The path of gateway.yaml; where absent, the catalogue stays as it was. */
  GATEWAY_CONFIG: z.string().optional(),
  /** The admin API's bearer token; where absent, the file `admin-token` in GATEWAY_DATA, made at the first need. */
  GATEWAY_ADMIN_TOKEN: z.string().optional(),
  /** 32 bytes in base64 or hex; where absent, the file `master-key` in GATEWAY_DATA, made at the first need. */
  GATEWAY_MASTER_KEY: z.string().optional(),
  /** On how many NATS servers of a cluster the state is kept. */
  GATEWAY_NATS_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  /** The secret of a token that is there from the start, without an end. */
  GATEWAY_FIRST_TOKEN: z
    .string()
    .regex(/^sk-[\w-]{32,}$/, 'must be sk- and at least 32 letters, digits, _ or -')
    .optional(),
  /** The SHA-256 of that secret in hex, for a control that is not to know the secret; one of the two at most. */
  GATEWAY_FIRST_TOKEN_SHA256: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'must be a SHA-256 in hex: 64 digits')
    .optional(),
});

export type ControlConfig = z.infer<typeof controlConfig>;
