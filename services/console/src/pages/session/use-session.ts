import type { SessionInfo } from '@model-gateway/admin-api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { callApi } from '../api.ts';
import { toProblem } from '../problem.ts';

const sessionKey = ['session'];
/** The start of the keys of all that only some users may read. */
export const ofUser = 'of-user';

/** Reads the caller of this browser's session: null while nobody is signed in, undefined while it is not known. */
export function useSession(): { session: SessionInfo | null | undefined } {
  const { data } = useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => readSession(signal),
    staleTime: 60_000,
    refetchOnWindowFocus: true,
    retry: 1,
  });
  return { session: data };
}

/** Returns a function that takes the caller of a session that has begun. What was read before is forgotten. */
export function useSignedIn(): (session: SessionInfo) => void {
  const queries = useQueryClient();
  return session => {
    queries.removeQueries({ queryKey: [ofUser] });
    queries.setQueryData(sessionKey, session);
  };
}

/** Ends the session. */
export function useSignOut() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => callApi('signOut'),
    onSuccess: () => {
      queries.removeQueries({ queryKey: [ofUser] });
      queries.setQueryData(sessionKey, null);
    },
  });
}

async function readSession(signal: AbortSignal): Promise<SessionInfo | null> {
  try {
    return await callApi('showSession', { signal });
  } catch (error) {
    if (toProblem(error).facts.status === 401) return null;
    throw error;
  }
}
