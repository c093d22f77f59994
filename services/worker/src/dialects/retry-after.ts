type Headers = Record<string, string | string[] | undefined>;

/** The longest time that a client is told to wait, in milliseconds. */
export const maxMs = 3_600_000;

/**
 * How long an upstream asks to be left alone: in seconds, or until a date, which is measured from the response's own.
 * What is no time to wait says nothing.
 */
export function retryAfter(headers: Headers): { retryAfterMs?: number } {
  const exact = Number(text(headers['retry-after-ms']) || Number.NaN);
  if (isTime(exact)) return { retryAfterMs: Math.min(exact, maxMs) };
  const given = text(headers['retry-after']);
  const seconds = Number(given || Number.NaN);
  // A date that has passed asks for no wait; a number below 0 is a mistake.
  const until = Math.max(0, Date.parse(given) - Date.parse(text(headers.date)));
  const ms = Number.isNaN(seconds) ? until : seconds * 1000;
  return isTime(ms) ? { retryAfterMs: Math.min(ms, maxMs) } : {};
}

function isTime(ms: number): boolean {
  return Number.isFinite(ms) && ms >= 0;
}

function text(header: string | string[] | undefined): string {
  return (typeof header === 'string' ? header : header?.[0])?.trim() ?? '';
}
