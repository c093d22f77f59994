import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Price, type ProviderRecord, urlOf } from '@model-gateway/catalog';
import type { ModelPrice, Provider as PricedProvider, Usage } from '@pydantic/genai-prices';
import type { LedgerRow } from '../usage/row.ts';

/** The vendors' prices, as a package keeps them. */
export interface KeptPrices {
  /** The name and version of the package. */
  version: string;
  /** Returns the cost of a row at a provider in US dollars; undefined if the package has no price for it. */
  costOf(row: LedgerRow, provider: ProviderRecord): number | undefined;
  /** Returns the price of a model at a provider, without what the package has for longer prompts or other hours. */
  priceOf(upstreamModel: string, provider: ProviderRecord): Price | undefined;
}

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
    costOf(row, record) {
      const provider = pricedAt(record);
      if (!provider || !isPriced(row)) return undefined;
      try {
        return calcPrice(usageOf(row), row.upstreamModel, { provider, timestamp: row.at })?.total_price;
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

/** True if the package counts all that a row is billed by: it has no prices of images, characters and searches. */
function isPriced({ images, characters, searches, input, output }: LedgerRow): boolean {
  return input + output > 0 || (images === 0 && characters === 0 && searches === 0);
}

/** Returns a row's usage in the words of the package. Its parts never exceed their sum, which the package refuses. */
function usageOf(row: LedgerRow): Usage {
  const take = (sum: number) => {
    let left = sum;
    return (amount: number) => {
      const taken = Math.min(amount, left);
      left -= taken;
      return taken;
    };
  };
  const ofInput = take(row.input);
  const cacheRead = ofInput(row.cachedInput);
  const cacheWrite1h = ofInput(row.cacheWrite1h);
  const cacheWrite5m = ofInput(row.cacheWrite5m);
  const ofOutput = take(row.output);
  return withoutZero({
    input_tokens: row.input,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite5m + cacheWrite1h,
    cache_write_1h_tokens: cacheWrite1h,
    input_audio_tokens: ofInput(row.audioInput),
    output_tokens: row.output,
    output_audio_tokens: ofOutput(row.audioOutput),
    ...(row.input + row.output === 0 && { input_audio_seconds: row.seconds }),
  });
}

function withoutZero(usage: Record<string, number>): Usage {
  return Object.fromEntries(Object.entries(usage).filter(([, amount]) => amount > 0));
}

function packageVersion(): string {
  const path = fileURLToPath(import.meta.resolve('@pydantic/genai-prices'));
  const { version } = JSON.parse(readFileSync(path.replace(/dist\/.*$/, 'package.json'), 'utf8'));
  return String(version);
}
