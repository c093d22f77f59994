/** Token counts of an attempt. `input` counts every input token, including cache reads and writes. */
export interface Usage {
  input: number;
  cachedInput: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  audioInput: number;
  imageInput: number;
  /** Every output token, including reasoning. */
  output: number;
  reasoning: number;
  audioOutput: number;
  /** Quantities counted besides tokens or instead of them. */
  units?: Units;
  /** The upstream's usage object, unchanged. */
  raw?: unknown;
}

/** Quantities other than tokens that some models are billed by. */
interface Units {
  /** Images generated. */
  images?: number;
  /** Seconds of audio. */
  seconds?: number;
  /** Characters spoken. */
  characters?: number;
  /** Rerank queries, of up to 100 documents each. */
  searches?: number;
}

/** Adds up the usage of several upstream calls; `raw` lists the usage object of each. */
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
