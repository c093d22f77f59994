import { z } from 'zod/mini';

/** The states of a target or a key. Once its rest is over, requests probe it until one is answered. */
const healthStates = ['serving', 'resting', 'probing'] as const;

export const healthQuery = z.strictObject({
  model: z
    .optional(z.string())
    .check(z.describe("A model's name in the catalog, or a name that it matches with its `*`.")),
  provider: z.optional(z.string()),
  state: z.optional(z.enum(healthStates)),
});
export type HealthQuery = z.infer<typeof healthQuery>;

/** The fields after `state` are absent while it serves. */
const state = {
  state: z.enum(healthStates),
  reason: z
    .optional(z.string())
    .check(z.describe('The reason for the rest: `failures`, `asked` or `refused-key`.')),
  error: z.optional(z.string()).check(z.describe('The kind of the error that caused the rest.')),
  since: z.optional(z.string()).check(z.describe('Start of the rest, RFC 3339.')),
  until: z
    .optional(z.string())
    .check(z.describe('End of the rest, after which a request probes it, RFC 3339.')),
};

export const reportedTarget = z.object({
  provider: z.string(),
  model: z.string().check(z.describe("The model's name at the provider.")),
  ...state,
});
export type ReportedTarget = z.infer<typeof reportedTarget>;

export const reportedKey = z.object({
  provider: z.string(),
  key: z.nullable(z.string()).check(z.describe('Null for a provider without an API key.')),
  ...state,
});
export type ReportedKey = z.infer<typeof reportedKey>;

/** The targets of each model, and the API keys. After a target with a `*` come those of its names that rest. */
export const healthReport = z.object({
  models: z.array(z.object({ name: z.string(), targets: z.array(reportedTarget) })),
  keys: z.array(reportedKey),
});
export type HealthReport = z.infer<typeof healthReport>;
