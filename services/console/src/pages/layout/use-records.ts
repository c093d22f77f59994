import type { EndpointName } from '@model-gateway/admin-api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, ofUser } from '../api.ts';

/** The records of each page after the first, which has fewer so that it is there at once. The admin API allows no more. */
const laterPage = '1000';

/** A page of a list of the admin API. */
interface RecordPage<Item> {
  data: Item[];
  next: string | null;
}

/** The records of a list as far as they are loaded. */
export interface Records<Item> {
  records: readonly Item[];
  /** The reason why the last page could not be loaded. */
  error: unknown;
  /** True until the first page is there. */
  loading: boolean;
  more: boolean;
  loadingMore: boolean;
  loadMore(): void;
  reload(): void;
}

/** Reads a list of the admin API page by page. `query` is its filter, without `limit` and `cursor`; empty values are left out. */
export function useRecords<Item>(
  name: EndpointName,
  {
    params,
    query = {},
    enabled = true,
  }: {
    params?: Record<string, string>;
    query?: Record<string, string | undefined>;
    /** False for a list that is not read: it has no records. */
    enabled?: boolean;
  } = {},
): Records<Item> {
  const filter = Object.fromEntries(Object.entries(query).filter(([, value]) => value)) as Record<
    string,
    string
  >;
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useInfiniteQuery({
      queryKey: [ofUser, name, params, filter],
      initialPageParam: '',
      queryFn: async ({ pageParam, signal }) => {
        for (let cursor = pageParam; ; ) {
          const later = cursor ? { cursor, limit: laterPage } : undefined;
          const asked = { ...(params && { params }), query: { ...filter, ...later }, signal };
          const page = (await api.call(name, asked)) as unknown as RecordPage<Item>;
          // A search of the ledger that takes long answers with what it has found, which may be nothing.
          if (page.data.length > 0 || page.next === null) return page;
          cursor = page.next;
        }
      },
      getNextPageParam: ({ next }) => next,
      enabled,
    });
  // The same array until something is loaded, so that what is made of 100,000 records is not made again.
  const records = useMemo(
    () => (enabled ? (data?.pages.flatMap(page => page.data) ?? []) : []),
    [data, enabled],
  );
  return {
    records,
    error,
    loading: enabled && isPending,
    more: enabled && hasNextPage,
    loadingMore: isFetchingNextPage,
    loadMore: () => void fetchNextPage(),
    reload: () => void refetch(),
  };
}
