/** What an attempt consumed, in tokens. `input` counts every input token, cached and written ones included. */
export interface Usage {
  input: number;
  cachedInput: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  audioInput: number;
  imageInput: number;
  /** Every output token, reasoning included. */
  output: number;
  reasoning: number;
  audioOutput: number;
  /** What is counted beside tokens, or in their place. */
  units?: Units;
  /** The upstream's own usage object, as it came. */
  raw?: unknown;
}

/** What some models are paid by. */
export interface Units {
  /** Images made. */
  images?: number;
  /** Seconds of audio. */
  seconds?: number;
  /** Characters spoken. */
  characters?: number;
  /** Queries for which documents were ranked, up to 100 documents each. */
  searches?: number;
}

/** What several upstream calls consumed together; `raw` lists what each upstream said. */
export function sumUsage(usages: readonly Usage[]): Usage {
  const sum: Usage = { ...noUsage };
  for (const usage of usages) for (const count of counts) sum[count] += usage[count];
  const units = usages.reduce<Units | undefined>((all, { units }) => addUnits(all, units), undefined);
  return { ...sum, ...(units && { units }), raw: usages.map(({ raw }) => raw) };
}

function addUnits(one: Units | undefined, other: Units | undefined): Units | undefined {
  if (!one || !other) return one ?? other;
  const sum: Units = { ...one };
  for (const [unit, count] of Object.entries(other) as [keyof Units, number][])
    sum[unit] = (sum[unit] ?? 0) + count;
  return sum;
}

export const noUsage: Usage = Object.freeze({
  input: 0,
  cachedInput: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  imageInput: 0,
  output: 0,
  reasoning: 0,
  audioOutput: 0,
});

const counts = Object.keys(noUsage) as (keyof Omit<Usage, 'raw' | 'units'>)[];
