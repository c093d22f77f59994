import type { ModelInfo } from '@model-gateway/admin-api';
import { useQuery } from '@tanstack/react-query';
import { api, ofUser } from '../api.ts';
import { type Records, useRecords } from '../layout/reading.ts';

/** Reads the providers or models whose name holds a text, in upper or lower case. The lists of the API have no such filter. */
export function useNamedRecords<Item extends { name: string }>(
  list: 'listProviders' | 'listCatalogModels',
  text: string,
): Records<Item> {
  const all = useRecords<Item>(list, { query: { limit: '1000' }, whole: text !== '' });
  if (text === '') return all;
  const wanted = text.toLowerCase();
  return { ...all, records: all.records.filter(({ name }) => name.toLowerCase().includes(wanted)) };
}

/** Reads every model of the catalog, page after page; undefined until they are there. */
export function useCatalogModels(): readonly ModelInfo[] | undefined {
  const { data } = useQuery({
    queryKey: [ofUser, 'listCatalogModels', 'all'],
    queryFn: ({ signal }) => api.list('listCatalogModels', { signal }),
    staleTime: 10_000,
  });
  return data;
}
