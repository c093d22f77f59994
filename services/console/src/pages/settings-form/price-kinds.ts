import type { ProjectInfo } from '@model-gateway/admin-api';

/** The price of a model, in US dollars. */
export type Price = NonNullable<ProjectInfo['prices']>[string];
export type PriceKind = Exclude<keyof Price, 'tier'>;

const tokens = 'per million tokens';

/** The kinds of prices, with the units that they are for. */
export const priceKinds: Record<PriceKind, { label: string; unit: string }> = {
  input: { label: 'Input', unit: tokens },
  output: { label: 'Output', unit: tokens },
  cachedInput: { label: 'Cached input', unit: tokens },
  cacheWrite: { label: 'Cache write', unit: tokens },
  cacheWrite1h: { label: 'Cache write (1 hour)', unit: tokens },
  reasoning: { label: 'Reasoning', unit: tokens },
  audioInput: { label: 'Audio input', unit: tokens },
  audioOutput: { label: 'Audio output', unit: tokens },
  imageInput: { label: 'Image input', unit: tokens },
  image: { label: 'Images', unit: 'per image' },
  second: { label: 'Audio', unit: 'per second' },
  characters: { label: 'Speech', unit: 'per million characters' },
  search: { label: 'Searches', unit: 'per search' },
  webSearch: { label: 'Web searches', unit: 'per search' },
};
export const allPriceKinds = Object.keys(priceKinds) as PriceKind[];
