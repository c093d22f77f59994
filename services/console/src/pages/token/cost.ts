import type { ownModel } from '@model-gateway/admin-api';
import type { z } from 'zod/mini';

/** The price of a model, as `GET /api/v1/token` shows it. */
export type Price = NonNullable<z.infer<typeof ownModel>['price']>;

/** The quantities of an answer. `input` and `output` are all tokens; the others name a part of them, or units. */
export interface Quantities {
  input?: number | undefined;
  cached?: number | undefined;
  cacheWritten?: number | undefined;
  imageInput?: number | undefined;
  audioInput?: number | undefined;
  output?: number | undefined;
  reasoning?: number | undefined;
  audioOutput?: number | undefined;
  images?: number | undefined;
  seconds?: number | undefined;
  characters?: number | undefined;
  searches?: number | undefined;
}

/** Returns the cost in US dollars, as the gateway counts it; null if a price that it needs is unknown. */
export function costOf(used: Quantities, price: Price | null | undefined): number | null {
  if (!price) return null;
  const { cached = 0, cacheWritten = 0, audioInput = 0, imageInput = 0, input = 0 } = used;
  const { reasoning = 0, audioOutput = 0, output = 0 } = used;
  const { input: inputPrice, output: outputPrice } = price;
  const tokens: Part[] = [
    [cached / million, price.cachedInput ?? inputPrice],
    [cacheWritten / million, price.cacheWrite ?? inputPrice],
    [audioInput / million, price.audioInput ?? inputPrice],
    [imageInput / million, price.imageInput ?? inputPrice],
    [Math.max(0, input - cached - cacheWritten - audioInput - imageInput) / million, inputPrice],
    [reasoning / million, price.reasoning ?? outputPrice],
    [audioOutput / million, price.audioOutput ?? outputPrice],
    [Math.max(0, output - reasoning - audioOutput) / million, outputPrice],
  ];
  const units: Part[] = [
    [used.images ?? 0, price.image],
    [used.seconds ?? 0, price.second],
    [(used.characters ?? 0) / million, price.characters],
    [used.searches ?? 0, price.search],
  ];
  // Answers also report quantities that a model is not billed by.
  const billed = [...tokens.filter(() => tokens.some(priced)), ...units.filter(priced)].filter(
    ([amount]) => amount > 0,
  );
  if (billed.length === 0) return isNothing(used) || isNothing(price) ? 0 : null;
  if (!billed.every(priced)) return null;
  return billed.reduce((sum, [amount, each = 0]) => sum + amount * each, 0);
}

const million = 1_000_000;
type Part = [amount: number, each: number | undefined];

function priced([, each]: Part): boolean {
  return each !== undefined;
}

/** True if there are quantities or amounts of a price, and all are zero. */
function isNothing(values: Quantities | Price): boolean {
  const known = Object.values(values).filter(value => value !== undefined);
  return known.length > 0 && known.every(value => value === 0);
}
