import { z } from 'zod/mini';
import { tagFilter } from './filter.ts';
import { exportFormat, pageOf, paging } from './page.ts';

export const time = z.iso.datetime({ offset: true });

const text = z.string().check(z.minLength(1, 'must not be empty'));

const filter = {
  from: z.optional(time),
  /** Exclusive. */
  to: z.optional(time),
  token: z.optional(text),
  project: z.optional(text),
  owner: z.optional(text),
  tag: tagFilter,
  model: z.optional(text),
  provider: z.optional(text),
};

/** The query of the ledger. */
export const usageQuery = z.strictObject({ ...filter, ...paging });

/** The query of an export: every entry that it names, oldest first. */
export const exportQuery = z.strictObject({ ...filter, format: exportFormat });

/** The groupings of totals, beside those by a tag. */
export const usageGroups = ['token', 'project', 'owner', 'model', 'provider', 'day'] as const;
/** `tag:team` groups by the value of the tag `team`. */
export type UsageGroup = (typeof usageGroups)[number] | `tag:${string}`;

const group = z
  .string()
  .check(
    z.regex(
      new RegExp(`^(?:${usageGroups.join('|')}|tag:.+)$`, 's'),
      `must be one of ${usageGroups.join(', ')}, or a tag such as tag:team`,
    ),
  );

export const totalsQuery = z.strictObject({ ...filter, by: z._default(group, 'model') });

/** The query of rejected records. */
export const rejectedQuery = z.strictObject(paging);

/** Tokens, and the units of what is not counted in tokens. */
const counts = {
  input: z.number(),
  cachedInput: z.number(),
  cacheWrite5m: z.number(),
  cacheWrite1h: z.number(),
  audioInput: z.number(),
  imageInput: z.number(),
  output: z.number(),
  reasoning: z.number(),
  audioOutput: z.number(),
  images: z.number(),
  /** Seconds of audio. */
  seconds: z.number(),
  characters: z.number(),
  searches: z.number(),
};

/** An attempt at an upstream. */
export const usageEntry = z.object({
  /** The attempt's UUIDv7. */
  id: z.string(),
  requestId: z.string(),
  /** Start of the attempt, RFC 3339. */
  at: z.string(),
  /** Duration of the attempt, in milliseconds. */
  ms: z.number(),
  /** Time until the answer began, in milliseconds. */
  firstMs: z.nullable(z.number()),
  operation: z.string(),
  format: z.string(),
  stream: z.boolean(),
  model: z.string(),
  /** The model that took the request over from `model`; null if none did. */
  fallback: z.nullable(z.string()),
  provider: z.string(),
  /** The model's name at the provider. */
  upstreamModel: z.string(),
  /** The token's id. */
  token: z.string(),
  project: z.string(),
  /** The token's owner when the attempt was made; null for none. */
  owner: z.nullable(z.string()),
  /** The token's tags when the attempt was made. */
  tags: z.record(z.string(), z.string()),
  outcome: z.string(),
  error: z.nullable(z.string()),
  /** The administrator who ended the request; null if none did. */
  endedBy: z.nullable(z.string()),
  /** Reason why the model stopped; null unless it generated an answer to its end. */
  finishReason: z.nullable(z.string()),
  /** True if part of the answer reached the client. */
  charged: z.boolean(),
  /** In US dollars; null if the usage or the price is unknown. */
  cost: z.nullable(z.number()),
  /** The version of the prices by which the cost was computed. */
  priceVersion: z.nullable(z.string()),
  /** Null if it is unknown. */
  usage: z.nullable(
    z.object({
      ...counts,
      /** True if the upstream reported no usage. */
      estimated: z.boolean(),
    }),
  ),
});
export type UsageEntry = z.infer<typeof usageEntry>;

export const usagePage = pageOf(usageEntry);
export type UsagePage = z.infer<typeof usagePage>;

/** Sums of charged attempts. */
export const usageTotals = z.object({
  by: group,
  data: z.array(
    z.object({
      /** Null for attempts without an owner, or without the tag. */
      key: z.nullable(z.string()),
      requests: z.number(),
      ...counts,
      /** In US dollars, of the attempts whose cost is known. */
      cost: z.number(),
      /** Number of attempts whose cost is unknown. */
      unpriced: z.number(),
    }),
  ),
});

export type UsageTotals = z.infer<typeof usageTotals>;

/** Records that the ledger cannot hold. */
export const rejectedPage = pageOf(
  z.object({
    id: z.number(),
    /** RFC 3339. */
    at: z.string(),
    reason: z.string(),
    /** The record as JSON in ASCII. */
    record: z.string(),
  }),
);
