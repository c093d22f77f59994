import type { KeptPrices } from '@model-gateway/catalog';
import type { CatalogDraft } from '../result.ts';
import type { Channel } from './channels.ts';

/** Reports models of channels of which no price is known. Users of new-api have budgets, and so may not use them. */
export function noteUnpriced(
  channels: readonly Channel[],
  { models, providers }: CatalogDraft,
  kept: KeptPrices,
): void {
  const byName = new Map(providers.map(provider => [provider.name, provider]));
  const priced = new Set(models.flatMap(({ name, price }) => (price ? name : [])));
  for (const { row, models: served, providers: names } of channels) {
    const unpriced = served.filter(({ name, upstream }) => {
      const provider = byName.get(names[0] ?? '');
      if (!provider || priced.has(name)) return false;
      const { kind, baseUrl } = provider;
      const record = { ...{ name: provider.name, kind, headers: {}, pool: 'default', version: 0 } };
      return !kept.priceOf(upstream, { ...record, ...(baseUrl !== undefined && { baseUrl }) });
    });
    if (unpriced.length > 0)
      row
        .get('models')
        .change(
          `No price is known of ${unpriced.map(({ name }) => name).join(', ')}. Tokens with a budget, and those of users with one, may not use it: state a price, or allowUnpriced of the project.`,
        );
  }
}
