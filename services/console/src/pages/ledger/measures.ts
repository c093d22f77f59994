import type { UsageSeries } from '@model-gateway/admin-api';
import { formatCount, formatMoney, formatMs, formatShare } from '../layout/format.ts';

export type UsageRow = UsageSeries['data'][number];
/** The counts of a row. */
export type UsageSums = Omit<UsageRow, 'start' | 'key' | 'rest'>;

/** A figure that is made of sums. */
export interface Measure {
  label: string;
  about: string;
  /** Null if there is nothing it could be made of, as a mean of no attempts. */
  of(sums: UsageSums): number | null;
  format(value: number): string;
  /** True if the figures of several keys add up to that of all. */
  adds: boolean;
  /** The direction that is good; absent if neither is. */
  better?: 'less' | 'more';
}

const noSums: UsageSums = {
  ...{ attempts: 0, requests: 0, failed: 0, cancelled: 0, failedAttempts: 0 },
  ...{ timed: 0, ms: 0, begun: 0, firstMs: 0 },
  ...{ input: 0, cachedInput: 0, cacheWrite5m: 0, cacheWrite1h: 0, audioInput: 0, imageInput: 0 },
  ...{ output: 0, reasoning: 0, audioOutput: 0, images: 0, seconds: 0, characters: 0, searches: 0 },
  ...{ cost: 0, unchargedCost: 0, unpriced: 0 },
};
const names = Object.keys(noSums) as (keyof UsageSums)[];

/** Adds up rows. */
export function addUp(rows: readonly UsageSums[]): UsageSums {
  const sums = { ...noSums };
  for (const row of rows) for (const name of names) sums[name] += row[name];
  return sums;
}

const ratio = (part: number, whole: number) => (whole > 0 ? part / whole : null);

/** The figures of the page of usage, in order. */
export const measures = {
  spend: {
    label: 'Spend',
    about: 'Cost in US dollars of attempts with a known price.',
    of: ({ cost }) => cost,
    format: formatMoney,
    adds: true,
  },
  requests: {
    label: 'Requests',
    about: 'Requests that reached a provider. Requests that the gateway refused are listed below.',
    of: ({ requests }) => requests,
    format: formatCount,
    adds: true,
  },
  tokens: {
    label: 'Tokens',
    about: 'Input and output tokens.',
    of: ({ input, output }) => input + output,
    format: formatCount,
    adds: true,
  },
  errors: {
    label: 'Errors',
    about: 'Requests whose clients got an error. A request that failed over and was answered does not count.',
    of: ({ failed }) => failed,
    format: formatCount,
    adds: true,
    better: 'less',
  },
  errorRate: {
    label: 'Error rate',
    about: 'The share of requests whose clients got an error.',
    of: ({ failed, requests }) => ratio(failed, requests),
    format: formatShare,
    adds: false,
    better: 'less',
  },
  attempts: {
    label: 'Attempts',
    about: 'Calls of providers. A request has several if it failed over or needed several calls.',
    of: ({ attempts }) => attempts,
    format: formatCount,
    adds: true,
  },
  failedAttempts: {
    label: 'Failed attempts',
    about: 'Calls of providers that failed or were lost, even if another attempt was answered.',
    of: ({ failedAttempts }) => failedAttempts,
    format: formatCount,
    adds: true,
    better: 'less',
  },
  latency: {
    label: 'Latency',
    about: 'The mean duration of answered attempts.',
    of: ({ ms, timed }) => ratio(ms, timed),
    format: formatMs,
    adds: false,
    better: 'less',
  },
  firstToken: {
    label: 'First token',
    about: 'The mean time to first token of answered streams.',
    of: ({ firstMs, begun }) => ratio(firstMs, begun),
    format: formatMs,
    adds: false,
    better: 'less',
  },
  cacheHits: {
    label: 'Cache hits',
    about: 'The share of input tokens that the provider read from its cache.',
    of: ({ cachedInput, input }) => ratio(cachedInput, input),
    format: formatShare,
    adds: false,
    better: 'more',
  },
} as const satisfies Record<string, Measure>;
export type MeasureName = keyof typeof measures;
export const measureNames = Object.keys(measures) as MeasureName[];

/** The kinds of tokens: each token is in one of them. */
export const tokenKinds: readonly { name: string; of(sums: UsageSums): number }[] = [
  {
    name: 'Input',
    of: ({ input, cachedInput, cacheWrite5m, cacheWrite1h }) =>
      Math.max(0, input - cachedInput - cacheWrite5m - cacheWrite1h),
  },
  { name: 'Cache read', of: ({ cachedInput }) => cachedInput },
  { name: 'Cache write', of: ({ cacheWrite5m, cacheWrite1h }) => cacheWrite5m + cacheWrite1h },
  { name: 'Output', of: ({ output, reasoning }) => Math.max(0, output - reasoning) },
  { name: 'Reasoning', of: ({ reasoning }) => reasoning },
];

/** Returns how much a figure has changed, as a part of what it was; null if that cannot be said. */
export function changeOf(now: number | null, before: number | null): number | null {
  return now === null || before === null || before === 0 ? null : now / before - 1;
}
