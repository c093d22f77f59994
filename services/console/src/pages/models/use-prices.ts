import type { ModelPrice } from '@model-gateway/admin-api';
import { useQuery } from '@tanstack/react-query';
import { api, ofUser } from '../api.ts';

/** Reads the prices in force: of the model with a name, or of all models of the catalog. */
export function usePrices(model?: string): { prices: readonly ModelPrice[] | undefined; error: unknown } {
  const { data, error } = useQuery({
    queryKey: [ofUser, 'showPrices', model],
    queryFn: async ({ signal }) =>
      (await api.call('showPrices', { ...(model && { query: { model } }), signal })).data,
    staleTime: 10_000,
  });
  return { prices: data, error };
}
