const decimal = [
  ['GB', 1_000_000_000],
  ['MB', 1_000_000],
  ['KB', 1_000],
] as const;
const binary = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
] as const;

/** A number with commas: `100,000`. */
export function count(number: number): string {
  return number.toLocaleString('en-US', { maximumFractionDigits: 10 });
}

/** A number of bytes in the largest exact unit, with at most one decimal: `32 MB`, `256 KiB`. */
export function size(bytes: number): string {
  for (const units of [decimal, binary])
    for (const [unit, one] of units)
      if (bytes >= one && Number.isInteger((bytes * 10) / one)) return `${count(bytes / one)} ${unit}`;
  return `${count(bytes)} bytes`;
}

const times = [
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/**
 * A duration in the largest unit that fits: `30 s`, `5 min`, `1.25 s`. One hour is `60 min`, and one day is
 * `24 h`.
 */
export function time(ms: number): string {
  for (const [unit, one] of times)
    if (ms > one && Number.isInteger(ms / one)) return `${count(ms / one)} ${unit}`;
  return ms >= 1_000 ? `${count(ms / 1_000)} s` : `${count(ms)} ms`;
}

/** A part of a whole: `1/4`, `9/10`. */
export function part(of: number): string {
  for (let whole = 1; whole <= 100; whole++) {
    const share = Math.round(of * whole);
    if (Math.abs(share / whole - of) < 1e-9) return `${share}/${whole}`;
  }
  return count(of);
}
