import type { ProjectInfo } from '@model-gateway/admin-api';

/** A price of a project, in US dollars. */
export type OwnPrice = NonNullable<ProjectInfo['prices']>[string];
export type PriceKind = Exclude<keyof OwnPrice, 'tier'>;
/** Prices as they are typed: an empty text is not stated. Those of service tiers are kept as they are. */
export type AmountsDraft = Partial<Record<PriceKind, number | ''>> & Pick<OwnPrice, 'tier'>;

/** The price of a model in a form; an empty text is a price that is not stated. */
export interface PriceDraft {
  key: string;
  model: string;
  amounts: AmountsDraft;
}

const tokens = 'a million tokens';

/** The kinds of prices, with the units that they are for. */
export const priceKinds: Record<PriceKind, { label: string; unit: string }> = {
  input: { label: 'Input', unit: tokens },
  output: { label: 'Output', unit: tokens },
  cachedInput: { label: 'Cached input', unit: tokens },
  cacheWrite: { label: 'Cache write', unit: tokens },
  cacheWrite1h: { label: 'Cache write for an hour', unit: tokens },
  reasoning: { label: 'Reasoning', unit: tokens },
  audioInput: { label: 'Audio input', unit: tokens },
  audioOutput: { label: 'Audio output', unit: tokens },
  imageInput: { label: 'Image input', unit: tokens },
  image: { label: 'Images', unit: 'an image' },
  second: { label: 'Audio', unit: 'a second' },
  characters: { label: 'Speech', unit: 'a million characters' },
  search: { label: 'Searches', unit: 'a search' },
  webSearch: { label: 'Web searches', unit: 'a search' },
};
