import type { EndpointName, ResponseOf } from '@model-gateway/admin-api';
import { type UseQueryOptions, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { api, ofUser } from '../api.ts';

interface ReadOptions {
  params?: Record<string, string>;
  /** Empty values are left out. */
  query?: Record<string, string | undefined>;
  /** False for what is not read. */
  enabled?: boolean;
}

/** A resource of the admin API as it was read. */
interface Read<Name extends EndpointName> {
  value: ResponseOf<Name>;
  etag: string | null;
}

/** A resource of the admin API, as far as it is read. */
export interface Resource<Value> {
  /** Undefined until it is read. */
  value: Value | undefined;
  /** Sent as If-Match with a change; null if the resource has none. */
  etag: string | null;
  error: unknown;
  /** True while it is read for the first time, or again. */
  loading: boolean;
  /** Reads it again. */
  reload(): Promise<unknown>;
}

/** Reads one resource, such as a project, or one page of a list. The other options are those of the cache. */
export function useResource<Name extends EndpointName>(
  name: Name,
  {
    params,
    query,
    ...options
  }: ReadOptions & Omit<UseQueryOptions<Read<Name>>, 'queryKey' | 'queryFn' | 'enabled'> = {},
): Resource<ResponseOf<Name>> {
  const filter = query && given(query);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [ofUser, name, params, filter],
    queryFn: ({ signal }) =>
      api.callForResource(name, { ...(params && { params }), ...(filter && { query: filter }), signal }),
    ...options,
  });
  return { value: data?.value, etag: data?.etag ?? null, error, loading: isFetching, reload: refetch };
}

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

/** Reads a list of the admin API page by page. `query` is its filter, without `cursor`; `whole` reads it to its end. */
export function useRecords<Item>(
  name: EndpointName,
  { params, query = {}, enabled = true, whole = false }: ReadOptions & { whole?: boolean } = {},
): Records<Item> {
  const filter = given(query);
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
  const wanted = whole && enabled && hasNextPage && !isFetchingNextPage && !error;
  useEffect(() => {
    if (wanted) void fetchNextPage();
  }, [wanted, fetchNextPage]);
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

/** Returns what to call after a change. */
export function useChanged(): {
  /** Reads what is on the screen again, and forgets what was read before. */
  changed(): Promise<unknown>;
  /** Forgets what was read before, so that a list does not show for a moment what was just deleted. */
  forget(): void;
  /** Shows a resource as the change returned it: all forms of the page then have its ETag. */
  written<Name extends EndpointName>(name: Name, params: Record<string, string>, read: Read<Name>): void;
} {
  const queries = useQueryClient();
  const forget = () => queries.removeQueries({ queryKey: [ofUser], type: 'inactive' });
  return {
    changed() {
      forget();
      return queries.invalidateQueries({ queryKey: [ofUser] });
    },
    forget,
    written: (name, params, read) => void queries.setQueryData([ofUser, name, params, undefined], read),
  };
}

function given(query: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value)) as Record<string, string>;
}
