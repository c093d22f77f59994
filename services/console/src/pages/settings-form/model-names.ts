import { useResource } from '../layout/reading.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';

/** Reads the names of the models in the catalog, as far as the user may see them. They are suggestions: other names can be typed. */
export function useModelNames(): string[] {
  const { session } = useSession();
  const { value } = useResource('listCatalogModels', {
    query: { limit: '1000' },
    enabled: may(session, 'listCatalogModels'),
    staleTime: 60_000,
  });
  return value?.data.map(({ name }) => name) ?? [];
}
