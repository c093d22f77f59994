const dollars = { style: 'currency', currency: 'USD' } as const;
const money = new Intl.NumberFormat('en-US', dollars);
/** For less than a dollar, since one request may cost a small part of a cent. */
const partOfDollar = new Intl.NumberFormat('en-US', {
  ...dollars,
  minimumFractionDigits: 2,
  maximumFractionDigits: 5,
});
const partOfCent = new Intl.NumberFormat('en-US', { ...dollars, maximumSignificantDigits: 2 });
const count = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 4 });
const share = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });
const time = new Intl.DateTimeFormat('en-CA', {
  dateStyle: 'short',
  timeStyle: 'medium',
  hourCycle: 'h23',
});

/** Formats US dollars, such as `$0.00042`; an unknown amount is a dash. */
export function formatMoney(amount: number | null): string {
  if (amount === null) return '–';
  if (amount === 0 || amount >= 1) return money.format(amount);
  return (amount >= 0.001 ? partOfDollar : partOfCent).format(amount);
}

/** Formats a count in short, such as `12.5K`. */
export function formatCount(value: number): string {
  return count.format(value);
}

/** Formats a part of one, such as `12.5%`. */
export function formatShare(value: number): string {
  return share.format(value);
}

/** Formats a time span in milliseconds, such as `420 ms`, `1.3 s` or `2 min 5 s`. */
export function formatMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** Formats an RFC 3339 time in the browser's time zone, such as `2026-11-25, 14:03:22`; an absent one is a dash. */
export function formatTime(at: string | null): string {
  return at === null ? '–' : time.format(new Date(at));
}

const byteUnits = ['B', 'kB', 'MB', 'GB'];

/** Formats a size in bytes, such as `12.3 kB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${byteUnits[power]}`;
}
