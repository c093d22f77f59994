import type { ModelInfo } from '@model-gateway/admin-api';
import { useQuery } from '@tanstack/react-query';
import { api, ofUser } from '../api.ts';

/** Reads every model of the catalog, page after page; undefined until they are there. */
export function useCatalogModels(): readonly ModelInfo[] | undefined {
  const { data } = useQuery({
    queryKey: [ofUser, 'listCatalogModels', 'all'],
    queryFn: async ({ signal }) => {
      const models: ModelInfo[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query: Record<string, string> = { limit: '1000', ...(cursor && { cursor }) };
        const { data, next } = await api.call('listCatalogModels', { query, signal });
        models.push(...data);
        cursor = next;
      }
      return models;
    },
    staleTime: 10_000,
  });
  return data;
}
