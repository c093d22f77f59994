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
  /** The upstream's own usage object, as it came. */
  raw?: unknown;
}

/** What several upstream calls consumed together; `raw` lists what each upstream said. */
export function sumUsage(usages: readonly Usage[]): Usage {
  const sum: Usage = { ...noUsage };
  for (const usage of usages) for (const count of counts) sum[count] += usage[count];
  return { ...sum, raw: usages.map(({ raw }) => raw) };
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

const counts = Object.keys(noUsage) as (keyof Omit<Usage, 'raw'>)[];
