import type { ShownModel } from '../../token/check-token.ts';
import type { Usage } from '../conversation/answer-event.ts';

/** Returns the cost of an answer in US dollars by its model's price; undefined if a price that it needs is unknown. */
export function costOf(
  { input, output, cached = 0, cacheWritten = 0, reasoning = 0 }: Usage,
  price: ShownModel['price'],
): number | undefined {
  if (!price) return undefined;
  const { cachedInput = price.input, cacheWrite = price.input } = price;
  const { reasoning: thought = price.output } = price;
  const parts: [tokens: number, perMillion: number | undefined][] = [
    [cached, cachedInput],
    [cacheWritten, cacheWrite],
    [Math.max(0, input - cached - cacheWritten), price.input],
    [reasoning, thought],
    [Math.max(0, output - reasoning), price.output],
  ];
  let cost = 0;
  for (const [tokens, perMillion] of parts) {
    if (tokens === 0) continue;
    if (perMillion === undefined) return undefined;
    cost += (tokens * perMillion) / 1_000_000;
  }
  return cost;
}
