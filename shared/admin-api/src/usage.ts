import { z } from 'zod/mini';
import { tagFilter } from './filter.ts';
import { exportFormat, pageOf, paging } from './page.ts';

export const time = z.iso.datetime({ offset: true });

const text = z.string().check(z.minLength(1, 'must not be empty'));

export const filter = {
  from: z.optional(time),
  to: z.optional(time).check(z.describe('Exclusive.')),
  token: z.optional(text),
  project: z.optional(text),
  owner: z.optional(text),
  tag: tagFilter,
  model: z.optional(text),
  provider: z.optional(text),
};

/** The outcomes of an attempt. */
export const usageOutcomes = ['answered', 'failed', 'cancelled', 'lost'] as const;

/** The conditions of single attempts, beside those that totals know too. */
const attemptFilter = {
  ...filter,
  request: z.optional(text).check(z.describe('The id in the header `x-request-id`.')),
  outcome: z.optional(z.enum(usageOutcomes)),
  error: z.optional(text).check(z.describe('The kind of a failure.')),
  endedBy: z.optional(text).check(z.describe('The administrator who ended the request.')),
};

/** The query of the ledger. */
export const usageQuery = z.strictObject({ ...attemptFilter, ...paging });

/** The query of an export: every entry that it names, oldest first. */
export const exportQuery = z.strictObject({ ...attemptFilter, format: exportFormat });

/** The groupings of totals, beside those by a tag. */
export const usageGroups = ['token', 'project', 'owner', 'model', 'provider', 'day'] as const;
/** `tag:team` groups by the value of the tag `team`. */
export type UsageGroup = (typeof usageGroups)[number] | `tag:${string}`;
/** The grouping by a tag, as messages name it. */
export const tagGroup = 'a tag such as tag:team';

const group = z
  .string()
  .check(
    z.regex(
      new RegExp(`^(?:${usageGroups.join('|')}|tag:.+)$`, 's'),
      `must be one of ${usageGroups.join(', ')}, or ${tagGroup}`,
    ),
  );

export const totalsQuery = z.strictObject({ ...filter, by: z._default(group, 'model') });

/** The query of rejected records. */
export const rejectedQuery = z.strictObject(paging);

/** Tokens, and the units of what is not counted in tokens. */
export const counts = {
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
  seconds: z.number().check(z.describe('Seconds of audio.')),
  characters: z.number(),
  searches: z.number(),
};

/** The cost of attempts that are not charged, in sums of those that are. */
export const unchargedCost = () =>
  z
    .number()
    .check(
      z.describe('In US dollars, of attempts that are not charged, since the gateway itself gave them up.'),
    );

/** An attempt at an upstream. */
export const usageEntry = z.object({
  id: z.string().check(z.describe("The attempt's UUIDv7.")),
  requestId: z.string(),
  at: z.string().check(z.describe('Start of the attempt, RFC 3339.')),
  ms: z.number().check(z.describe('Duration of the attempt, in milliseconds.')),
  firstMs: z.nullable(z.number()).check(z.describe('Time until the answer began, in milliseconds.')),
  operation: z.string(),
  format: z.string(),
  stream: z.boolean(),
  model: z.string(),
  fallback: z
    .nullable(z.string())
    .check(z.describe('The model that took the request over from `model`; null if none did.')),
  provider: z.string(),
  upstreamModel: z.string().check(z.describe("The model's name at the provider.")),
  token: z.string().check(z.describe("The token's id.")),
  project: z.string(),
  owner: z
    .nullable(z.string())
    .check(z.describe("The token's owner when the attempt was made; null for none.")),
  tags: z.record(z.string(), z.string()).check(z.describe("The token's tags when the attempt was made.")),
  outcome: z.string(),
  error: z.nullable(z.string()),
  upstreamStatus: z
    .nullable(z.number())
    .check(
      z.describe(
        "The HTTP status of the provider's answer to an attempt that failed; null if there was none.",
      ),
    ),
  upstreamMessage: z
    .nullable(z.string())
    .check(
      z.describe(
        "The beginning of the provider's message, without secrets and without texts of the request; the gateway's own words if there was none.",
      ),
    ),
  final: z
    .boolean()
    .check(
      z.describe(
        'False if the request did not end with this attempt: another one followed, or it is one of several calls for one answer.',
      ),
    ),
  endedBy: z
    .nullable(z.string())
    .check(z.describe('The administrator who ended the request; null if none did.')),
  finishReason: z
    .nullable(z.string())
    .check(z.describe('Reason why the model stopped; null unless it generated an answer to its end.')),
  hostedTools: z
    .array(z.string())
    .check(z.describe('The tools of the request that the provider runs, such as `web_search`.')),
  serviceTier: z
    .nullable(z.string())
    .check(
      z.describe('The service tier, as the provider says it, else as it was asked for; null if neither.'),
    ),
  charged: z
    .boolean()
    .check(
      z.describe(
        'True if the client got the answer or a part of it, or left; false if the gateway gave the attempt up.',
      ),
    ),
  cost: z.nullable(z.number()).check(z.describe('In US dollars; null if the usage or the price is unknown.')),
  priceVersion: z
    .nullable(z.string())
    .check(z.describe('The version of the prices by which the cost was computed.')),
  usage: z
    .nullable(
      z.object({
        ...counts,
        webSearches: z.number().check(z.describe('Searches of the web by a tool of the provider.')),
        /** True if the upstream reported no usage. */
        estimated: z.boolean(),
      }),
    )
    .check(z.describe('Null if it is unknown.')),
});
export type UsageEntry = z.infer<typeof usageEntry>;

export const usagePage = z.extend(pageOf(usageEntry), {
  searchedTo: z
    .optional(z.string())
    .check(
      z.describe(
        'For a search that took too long: the time down to which it came. The next page goes on there.',
      ),
    ),
});
export type UsagePage = z.infer<typeof usagePage>;

/** Numbers of requests, each with the outcome of its last attempt. */
export const requestCounts = {
  requests: z.number().check(z.describe('Requests of every outcome.')),
  failed: z.number().check(z.describe('Requests that ended in an error, or were lost with their worker.')),
};

/** Numbers of requests, sums of charged attempts, and the cost of the others. */
export const usageTotals = z.object({
  by: group,
  data: z.array(
    z.object({
      key: z
        .nullable(z.string())
        .check(z.describe('Null for attempts without an owner, or without the tag.')),
      ...requestCounts,
      attempts: z.number().check(z.describe('Attempts of every outcome.')),
      ...counts,
      cost: z.number().check(z.describe('In US dollars, of the attempts whose cost is known.')),
      unchargedCost: unchargedCost(),
      unpriced: z.number().check(z.describe('Number of attempts whose cost is unknown.')),
    }),
  ),
});

export type UsageTotals = z.infer<typeof usageTotals>;

/** Records that the ledger cannot hold. */
export const rejectedPage = pageOf(
  z.object({
    id: z.number(),
    at: z.string().check(z.describe('RFC 3339.')),
    reason: z.string(),
    record: z.string().check(z.describe('The record as JSON in ASCII.')),
  }),
);
