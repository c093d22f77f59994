import { z } from 'zod';

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration such as `250ms`, `60s`, `30m`, `24h` or `7d`, parsed to milliseconds. */
export const duration = z
  .string()
  .regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, 'is not a duration such as 250ms, 60s, 30m, 24h or 7d')
  .transform(text => {
    const unit = (/[a-z]+$/.exec(text)?.[0] ?? 'ms') as keyof typeof unitMs;
    return Number.parseFloat(text) * unitMs[unit];
  });

/** Writes milliseconds as a text that {@link duration} parses to the same: `1800000` as `30m`. */
export function durationText(ms: number): string {
  const units = Object.entries(unitMs).toReversed();
  const [unit, each] = units.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1];
  return `${ms / each}${unit}`;
}
