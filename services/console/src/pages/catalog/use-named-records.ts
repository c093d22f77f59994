import { useEffect } from 'react';
import { type Records, useRecords } from '../layout/use-records.ts';

/** Reads the providers or models whose name holds a text, in upper or lower case. The lists of the API have no such filter. */
export function useNamedRecords<Item extends { name: string }>(
  list: 'listProviders' | 'listCatalogModels',
  text: string,
): Records<Item> {
  const all = useRecords<Item>(list, { query: { limit: '1000' } });
  const { more, loadingMore, error, loadMore } = all;
  const incomplete = text !== '' && more && !loadingMore && !error;
  useEffect(() => {
    if (incomplete) loadMore();
  }, [incomplete, loadMore]);
  if (text === '') return all;
  const wanted = text.toLowerCase();
  return { ...all, records: all.records.filter(({ name }) => name.toLowerCase().includes(wanted)) };
}
