type Headers = Record<string, string | string[] | undefined>;

/** How long an upstream asks to be left alone: in seconds, or until a date, which is measured from the response's own. */
export function retryAfter(headers: Headers): { retryAfterMs?: number } {
  const exact = Number(text(headers['retry-after-ms']) || Number.NaN);
  if (!Number.isNaN(exact)) return { retryAfterMs: Math.max(0, exact) };
  const given = text(headers['retry-after']);
  if (!given) return {};
  const seconds = Number(given);
  const ms = Number.isNaN(seconds) ? Date.parse(given) - Date.parse(text(headers.date)) : seconds * 1000;
  return Number.isNaN(ms) ? {} : { retryAfterMs: Math.max(0, ms) };
}

function text(header: string | string[] | undefined): string {
  return typeof header === 'string' ? header : '';
}
