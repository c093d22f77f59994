import { useQuery } from '@tanstack/react-query';
import { api, ofUser } from '../api.ts';
import { useResource } from '../layout/reading.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';

/** The steps to the first answer, as far as the user may see them: undefined while a state is being read. */
interface FirstSteps {
  signedIn: boolean | undefined;
  /** The catalog has a model that can be asked. */
  model: boolean | undefined;
  /** There is a token. */
  token: boolean | undefined;
  /** A model has answered. */
  answer: boolean | undefined;
}

const recheckMs = 5_000;

/** Reads which steps are done. While a step is open it is looked at again every few seconds, so that it is ticked as it is done. */
export function useFirstSteps(): FirstSteps {
  const { session } = useSession();
  const answer = useAnswered(true);
  const model = useDone('listCatalogModels');
  const token = useDone('listTokens');
  return { signedIn: session === undefined ? undefined : session !== null, model, token, answer };
}

/** True once a model has answered a request; undefined while that is not known. `follow` looks again until it is so. */
export function useAnswered(follow: boolean): boolean | undefined {
  const { session } = useSession();
  const allowed = may(session, 'listUsage');
  const { data } = useQuery({
    queryKey: [ofUser, 'first-answer'],
    queryFn: async ({ signal }) => {
      const { data: attempts } = await api.call('listUsage', { query: { limit: '100' }, signal });
      return attempts.some(({ outcome }) => outcome === 'answered');
    },
    enabled: allowed,
    staleTime: ({ state }) => (state.data ? Number.POSITIVE_INFINITY : 0),
    refetchInterval: ({ state }) => (follow && !state.data ? recheckMs : false),
  });
  return allowed ? data : undefined;
}

function useDone(name: 'listCatalogModels' | 'listTokens'): boolean | undefined {
  const { session } = useSession();
  const allowed = may(session, name);
  const { value } = useResource(name, {
    query: { limit: '1' },
    enabled: allowed,
    refetchInterval: ({ state }) => (state.data?.value.data.length ? false : recheckMs),
  });
  return allowed && value ? value.data.length > 0 : undefined;
}
