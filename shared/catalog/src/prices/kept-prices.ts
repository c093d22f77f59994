import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ModelPrice, Provider as PricedProvider, Usage } from '@pydantic/genai-prices';
import type { ProviderRecord } from '../record.ts';
import { urlOf } from '../route.ts';
import type { Price } from '../schema.ts';
import { type KeptPrices, type PricedAttempt, taker } from './attempt-cost.ts';

/** Loads the package, which takes some megabytes. */
export async function openKeptPrices(): Promise<KeptPrices> {
  const { calcPrice, findProvider } = await import('@pydantic/genai-prices');
  const known = new Map<string, PricedProvider | undefined>();
  const providerAt = (url: string) => {
    if (!known.has(url)) known.set(url, findProvider({ providerApiUrl: url }));
    return known.get(url);
  };
  const pricedAt = (record: ProviderRecord) => {
    const url = urlOf(record);
    return url === undefined ? undefined : providerAt(url);
  };
  return {
    version: `genai-prices-${packageVersion()}`,
    costOf(attempt, record) {
      const provider = pricedAt(record);
      const model = provider && calcPrice({}, attempt.upstreamModel, { provider, timestamp: attempt.at });
      if (!provider || !model || !isCovered(attempt, model.model_price)) return undefined;
      try {
        const usage = usageOf(attempt, model.model_price);
        return calcPrice(usage, attempt.upstreamModel, { provider, timestamp: attempt.at })?.total_price;
      } catch {
        // The package refuses a usage that it has no price for.
        return undefined;
      }
    },
    priceOf(upstreamModel, record) {
      const provider = pricedAt(record);
      const found = provider && calcPrice({}, upstreamModel, { provider });
      return found ? toPrice(found.model_price) : undefined;
    },
  };
}

/** The names of the package for the prices of a million tokens. */
const tokenPrices = {
  input: 'input_mtok',
  cachedInput: 'cache_read_mtok',
  cacheWrite: 'cache_write_mtok',
  cacheWrite1h: 'cache_write_1h_mtok',
  audioInput: 'input_audio_mtok',
  output: 'output_mtok',
  audioOutput: 'output_audio_mtok',
} as const satisfies Partial<Record<keyof Price, string>>;

function toPrice(price: ModelPrice): Price {
  const baseOf = (key: string) => {
    const value = price[key];
    return typeof value === 'object' ? value.base : value;
  };
  const entries = Object.entries(tokenPrices).map(([name, key]) => [name, baseOf(key)]);
  const hour = baseOf('input_audio_hours');
  const all = [...entries, ['second', hour === undefined ? undefined : hour / 3_600]];
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/** True if a price is for seconds of audio, and not for tokens. */
function isBySecond(price: ModelPrice): boolean {
  return price.input_mtok === undefined && (price.input_audio_hours ?? price.audio_hours) !== undefined;
}

/**
 * True if a price covers all that an attempt is billed by. The package takes a quantity without a price for free, and has no prices
 * of images, characters and searches. It has some of output tokens that are images, which only images tell apart.
 */
function isCovered(attempt: PricedAttempt, price: ModelPrice): boolean {
  const { input, output, images, seconds, characters, searches, operation } = attempt;
  if (isBySecond(price)) return seconds > 0 || input + output === 0;
  if (input > 0 && price.input_mtok === undefined) return false;
  if (output > 0 && price.output_mtok === undefined && price.output_image_mtok === undefined) return false;
  if (output > 0 && price.output_image_mtok !== undefined && operation !== 'image') return false;
  return input + output > 0 || images + seconds + characters + searches === 0;
}

/** Returns an attempt's usage in the words of the package. Its parts never exceed their sum, which the package refuses. */
function usageOf(attempt: PricedAttempt, price: ModelPrice): Usage {
  if (isBySecond(price)) return { audio_seconds: attempt.seconds, input_audio_seconds: attempt.seconds };
  const ofInput = taker(attempt.input);
  const ofOutput = taker(attempt.output);
  const cacheRead = ofInput(attempt.cachedInput);
  const cacheWrite1h = ofInput(attempt.cacheWrite1h);
  const cacheWrite5m = ofInput(attempt.cacheWrite5m);
  const isImage = attempt.operation === 'image' && price.output_image_mtok !== undefined;
  return {
    input_tokens: attempt.input,
    cache_read_tokens: cacheRead,
    cache_audio_read_tokens: 0,
    cache_image_read_tokens: 0,
    cache_write_tokens: cacheWrite5m + cacheWrite1h,
    cache_write_1h_tokens: cacheWrite1h,
    input_audio_tokens: ofInput(attempt.audioInput),
    input_image_tokens: ofInput(attempt.imageInput),
    output_tokens: attempt.output,
    output_audio_tokens: ofOutput(attempt.audioOutput),
    ...(isImage && { output_image_tokens: attempt.output }),
  };
}

function packageVersion(): string {
  const path = fileURLToPath(import.meta.resolve('@pydantic/genai-prices'));
  const { version } = JSON.parse(readFileSync(path.replace(/dist\/[^/]*$/, 'package.json'), 'utf8'));
  return String(version);
}
