import { z } from 'zod/mini';
import { counts, filter, requestCounts, tagGroup, unchargedCost } from './usage.ts';

/** The steps of a series: spans of time in UTC, or `all` for one sum of the whole time. */
export const seriesSteps = ['minute', 'hour', 'day', 'all'] as const;
export type SeriesStep = (typeof seriesSteps)[number];

/** The groupings of a series, beside those by a tag. */
export const seriesGroups = ['token', 'project', 'owner', 'model', 'provider'] as const;
export type SeriesGroup = (typeof seriesGroups)[number] | `tag:${string}`;

const hourMs = 3_600_000;
/** The longest time of a series by its step, in milliseconds, with the part of an hour or a day before it. */
const longest: Record<SeriesStep, number> = {
  minute: 7 * hourMs,
  hour: 32 * 24 * hourMs,
  day: Number.POSITIVE_INFINITY,
  all: Number.POSITIVE_INFINITY,
};
/** The most keys of a series with times, and of sums of the whole time. */
const mostKeys = { series: 20, all: 1_000 };

/** The query of sums over time. */
export const seriesQuery = z
  .strictObject({
    ...filter,
    by: z
      .optional(
        z
          .string()
          .check(
            z.regex(
              new RegExp(`^(?:${seriesGroups.join('|')}|tag:.+)$`, 's'),
              `must be one of ${seriesGroups.join(', ')}, or ${tagGroup}`,
            ),
          ),
      )
      .check(z.describe('The grouping; absent for sums of all attempts.')),
    step: z._default(z.enum(seriesSteps), 'day'),
    top: z
      ._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(mostKeys.all)), 10)
      .check(z.describe('The number of keys; the others are joined. At most 20 unless `step` is `all`.')),
  })
  .check(
    z.refine(({ step, from, to }) => timeOf(from, to) <= longest[step], {
      path: ['step'],
      message:
        'must be a longer one for this time: minutes are for at most 7 hours, hours for at most 32 days, both with a from',
    }),
    z.refine(({ step, top }) => step === 'all' || top <= mostKeys.series, {
      path: ['top'],
      message: `must be at most ${mostKeys.series} unless step is all`,
    }),
  );

function timeOf(from: string | undefined, to: string | undefined): number {
  if (from === undefined) return Number.POSITIVE_INFINITY;
  return (to === undefined ? Date.now() : Date.parse(to)) - Date.parse(from);
}

/** Sums over time, of attempts of every outcome. Tokens, units, `cost` and `unpriced` are those of charged attempts. */
export const usageSeries = z.object({
  by: z.nullable(z.string()),
  step: z.enum(seriesSteps),
  data: z.array(
    z.object({
      start: z
        .nullable(z.string())
        .check(z.describe('Start of the span, RFC 3339 in UTC; null if `step` is `all`.')),
      key: z
        .nullable(z.string())
        .check(z.describe('Null for attempts without an owner or without the tag, and without a grouping.')),
      rest: z.boolean().check(z.describe('True for the sum of the keys that are not among `top`.')),
      attempts: z.number().check(z.describe('Attempts of every outcome.')),
      failedAttempts: z
        .number()
        .check(
          z.describe('Attempts that failed, or were lost with their worker, also if another one followed.'),
        ),
      ...requestCounts,
      cancelled: z.number().check(z.describe('Requests that were cancelled.')),
      timed: z
        .number()
        .check(z.describe('Answered attempts whose time is known: none of before this was recorded.')),
      ms: z.number().check(z.describe('Duration of the `timed` attempts together, in milliseconds.')),
      begun: z.number().check(z.describe('Answered streams of which the time of their beginning is known.')),
      firstMs: z
        .number()
        .check(z.describe('Time until the `begun` streams began, together, in milliseconds.')),
      ...counts,
      cost: z.number().check(z.describe('In US dollars, of the attempts whose cost is known.')),
      unchargedCost: unchargedCost(),
      unpriced: z.number().check(z.describe('Number of attempts whose cost is unknown.')),
    }),
  ),
});
export type UsageSeries = z.infer<typeof usageSeries>;
