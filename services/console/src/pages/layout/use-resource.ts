import type { EndpointName, ResponseOf } from '@model-gateway/admin-api';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, ofUser } from '../api.ts';

/** A resource of the admin API as it was read. */
export interface Resource<Value> {
  /** Undefined until it is read. */
  value: Value | undefined;
  /** Sent as If-Match with a change; null if the resource has none. */
  etag: string | null;
  error: unknown;
  /** Reads it again. */
  reload(): Promise<unknown>;
}

/** Reads one resource, such as a project. `query` is that of the request. */
export function useResource<Name extends EndpointName>(
  name: Name,
  {
    params,
    query,
    enabled = true,
  }: { params?: Record<string, string>; query?: Record<string, string>; enabled?: boolean } = {},
): Resource<ResponseOf<Name>> {
  const { data, error, refetch } = useQuery({
    queryKey: [ofUser, name, params, query],
    queryFn: ({ signal }) =>
      api.callForResource(name, { ...(params && { params }), ...(query && { query }), signal }),
    enabled,
  });
  return { value: data?.value, etag: data?.etag ?? null, error, reload: refetch };
}

/** Returns a function that marks what was read from endpoints as out of date; what is on the screen is read again. */
export function useOutdate(): (...names: EndpointName[]) => Promise<unknown> {
  const queries = useQueryClient();
  return (...names) =>
    Promise.all(names.map(name => queries.invalidateQueries({ queryKey: [ofUser, name] })));
}

/**
 * Returns a function that shows a resource as it was just written, before it is read again: another form of the page then has its ETag.
 * It returns the resource.
 */
export function useWritten(): <
  Name extends EndpointName,
  Value extends { value: ResponseOf<Name>; etag: string | null },
>(
  name: Name,
  params: Record<string, string>,
  written: Value,
) => Value {
  const queries = useQueryClient();
  return (name, params, written) => {
    queries.setQueryData([ofUser, name, params, undefined], written);
    return written;
  };
}

/** Returns a function that forgets what was read from endpoints, so that a list does not show for a moment what was just deleted. */
export function useForget(): (...names: EndpointName[]) => void {
  const queries = useQueryClient();
  return (...names) => {
    for (const name of names) queries.removeQueries({ queryKey: [ofUser, name] });
  };
}
