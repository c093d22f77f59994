import type { ModelInfo } from '@model-gateway/admin-api';
import { useQuery } from '@tanstack/react-query';
import { api, ofUser } from '../api.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';

/** Reads the names of the models in the catalog, as far as the user may see them. They are suggestions: other names can be typed. */
export function useModelNames(): string[] {
  const { session } = useSession();
  const { data } = useQuery({
    queryKey: [ofUser, 'model-names'],
    queryFn: ({ signal }) => api.call('listCatalogModels', { query: { limit: '1000' }, signal }),
    enabled: may(session, 'listCatalogModels'),
    staleTime: 60_000,
  });
  return (data?.data as ModelInfo[] | undefined)?.map(({ name }) => name) ?? [];
}
