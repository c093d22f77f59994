import type { UsageRecord } from '@model-gateway/canonical';
import type { Catalog } from './catalog.ts';

/** The name of a model or provider that is not in the catalog. */
const unknown = 'other';

/**
 * Returns the names in the catalog of an attempt's model, which may be a pattern, and of its provider: clients invent names that match
 * patterns. `other` stands for what is not in the catalog.
 */
export function attemptNames(
  catalog: Pick<Catalog, 'model' | 'provider'>,
  { model, fallback, provider }: Pick<UsageRecord, 'model' | 'provider'> & { fallback?: string | null },
): { model: string; provider: string } {
  return {
    model: catalog.model(fallback ?? model)?.model.name ?? unknown,
    provider: catalog.provider(provider) ? provider : unknown,
  };
}
