const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The ranges that end now, and their lengths in milliseconds. `any` has no bound. */
export const presets = {
  '1h': { label: 'Last hour', ms: hourMs },
  '6h': { label: 'Last 6 hours', ms: 6 * hourMs },
  '24h': { label: 'Last 24 hours', ms: dayMs },
  '7d': { label: 'Last 7 days', ms: 7 * dayMs },
  '30d': { label: 'Last 30 days', ms: 30 * dayMs },
  '90d': { label: 'Last 90 days', ms: 90 * dayMs },
  any: { label: 'Any time', ms: Number.POSITIVE_INFINITY },
} as const;
export type Preset = keyof typeof presets;

/** A range that ends now, or one between two times (RFC 3339), whose ends may be open. */
export type TimeRange = { preset: Preset } | { preset: null; from: string | null; to: string | null };

/** The ends of a range, RFC 3339. An absent one is open; `to` is exclusive. */
export interface TimeSpan {
  from?: string;
  to?: string;
}

/** Reads a range from a page's query. What cannot be read is the preset `usual`. */
export function rangeOf(query: URLSearchParams, usual: Preset): TimeRange {
  const [from, to] = [timeIn(query.get('from')), timeIn(query.get('to'))];
  if (from || to) return { preset: null, from, to };
  const named = query.get('range') ?? usual;
  return { preset: Object.hasOwn(presets, named) ? (named as Preset) : usual };
}

/** Returns a copy of a page's query with a range; the preset `usual` is left out. */
export function withRange(query: URLSearchParams, range: TimeRange, usual: Preset): URLSearchParams {
  const changed = new URLSearchParams(query);
  for (const name of ['range', 'from', 'to']) changed.delete(name);
  if (range.preset === null) {
    if (range.from) changed.set('from', range.from);
    if (range.to) changed.set('to', range.to);
  } else if (range.preset !== usual) changed.set('range', range.preset);
  return changed;
}

/** Returns the ends of a range at a time in milliseconds since 1970. */
export function spanAt(range: TimeRange, now: number): TimeSpan {
  if (range.preset === null)
    return { ...(range.from && { from: range.from }), ...(range.to && { to: range.to }) };
  const { ms } = presets[range.preset];
  return Number.isFinite(ms) ? { from: new Date(now - ms).toISOString() } : {};
}

function timeIn(text: string | null): string | null {
  const at = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
