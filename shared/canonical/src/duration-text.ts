const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Returns the milliseconds of a text such as `250ms`, `60s`, `30m`, `24h` or `7d`; undefined for another text. */
export function durationMs(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(amount) * unitMs[unit as keyof typeof unitMs];
}

/** Writes milliseconds as a text that {@link durationMs} reads as the same: `1800000` as `30m`. */
export function durationText(ms: number): string {
  const units = Object.entries(unitMs).toReversed();
  const [unit, each] = units.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1];
  return `${ms / each}${unit}`;
}
