import { rateLimitHeaders } from '@model-gateway/providers/rate-limit-headers';

type Headers = Record<string, string | string[] | undefined>;

/** The longest retry delay sent to a client, in milliseconds. */
export const maxDelayMs = 3_600_000;

/**
 * Reads the retry delay of an upstream: `retry-after-ms`, `retry-after` in seconds or as a date, or where a limit is exceeded the
 * time at which it is full again. A date is relative to the response's `date` header. Invalid values are ignored.
 */
export function retryAfter(headers: Headers, status: number): { retryAfterMs?: number } {
  const exact = Number(text(headers['retry-after-ms']) || Number.NaN);
  if (isTime(exact)) return { retryAfterMs: Math.min(exact, maxDelayMs) };
  const value = text(headers['retry-after']);
  const seconds = Number(value || Number.NaN);
  const ms = Number.isNaN(seconds) ? untilDate(value, headers) : seconds * 1000;
  if (isTime(ms)) return { retryAfterMs: Math.min(ms, maxDelayMs) };
  return status === 429 ? resetAfter(headers) : {};
}

/** Returns the time until the limits that are used up are full again; if none says that it is, the shortest time of any. */
function resetAfter(headers: Headers): { retryAfterMs?: number } {
  const limits = rateLimitHeaders.flatMap(({ reset, remaining }) => {
    const ms = untilReset(text(headers[reset]), headers);
    return isTime(ms) ? [{ ms, spent: Number(text(headers[remaining]) || Number.NaN) <= 0 }] : [];
  });
  const spent = limits.filter(limit => limit.spent);
  const ms = spent.length > 0 ? Math.max(...spent.map(of => of.ms)) : Math.min(...limits.map(of => of.ms));
  return isTime(ms) ? { retryAfterMs: Math.min(Math.ceil(ms), maxDelayMs) } : {};
}

/** The least numbers that are a time since 1970: in seconds, and in milliseconds. Smaller ones are seconds from now. */
const leastTime = { s: 1e9, ms: 1e11 };

const duration =
  /^(?:(?<d>\d{1,9})d)?(?:(?<h>\d{1,9})h)?(?:(?<m>\d{1,9})m(?!s))?(?:(?<s>\d{1,9}(?:\.\d{1,9})?)s)?(?:(?<ms>\d{1,9}(?:\.\d{1,9})?)ms)?$/;
const unitMs: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/**
 * Reads the reset of a limit, in milliseconds: OpenAI and Groq write `6m0s`, Cerebras and Together seconds, OpenRouter milliseconds since
 * 1970, others seconds since 1970, Anthropic a date.
 */
function untilReset(value: string, headers: Headers): number {
  if (value === '') return Number.NaN;
  const number = Number(value);
  if (number >= leastTime.s) return until(number >= leastTime.ms ? number : number * 1_000, headers);
  if (!Number.isNaN(number)) return number * 1_000;
  const { groups } = duration.exec(value) ?? {};
  if (!groups) return untilDate(value, headers);
  return Object.entries(unitMs).reduce((sum, [unit, ms]) => sum + Number(groups[unit] ?? 0) * ms, 0);
}

function untilDate(value: string, headers: Headers): number {
  return until(Date.parse(value), headers);
}

/** Returns the time from the response's date; 0 for one in the past, which means no delay. */
function until(time: number, headers: Headers): number {
  return Math.max(0, time - Date.parse(text(headers.date)));
}

function isTime(ms: number): boolean {
  return Number.isFinite(ms) && ms >= 0;
}

function text(header: string | string[] | undefined): string {
  return (typeof header === 'string' ? header : header?.[0])?.trim() ?? '';
}
