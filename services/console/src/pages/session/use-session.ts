import type { SessionInfo } from '@model-gateway/admin-api';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { api, ofUser } from '../api.ts';
import { toProblem } from '../problem.ts';

const sessionKey = ['session'];
const endedKey = ['session-ended'];

/**
 * Reads the caller of this browser's session: null while nobody is signed in, undefined while it is not known. A session that ends
 * while the console is open stays as it was until the user signs in again or leaves, so that pages keep what was typed.
 */
export function useSession(): { session: SessionInfo | null | undefined; error: unknown } {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => readSession(queries, signal),
    staleTime: 60_000,
    refetchOnWindowFocus: true,
    retry: 1,
  });
  return { session: data, error };
}

/** True from the end of the user's session until the next sign-in. `leave` gives up the page for the sign-in page. */
export function useSessionEnded(): { ended: boolean; leave(): void } {
  const queries = useQueryClient();
  const { data = false } = useQuery({
    queryKey: endedKey,
    queryFn: () => false,
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const leave = () => {
    queries.removeQueries({ queryKey: [ofUser] });
    queries.setQueryData(endedKey, false);
    queries.setQueryData(sessionKey, null);
  };
  return { ended: data, leave };
}

/** Notices when a request is refused because the session has ended. Returns a function that ends this. */
export function watchSession(queries: QueryClient): () => void {
  const notice = (thrown: unknown) => {
    const { status, errors } = toProblem(thrown).facts;
    // Only problems of the admin API have a list of fields; other requests have a client's token as their credential.
    if (status === 401 && errors && queries.getQueryData(sessionKey)) queries.setQueryData(endedKey, true);
  };
  const unwatchQueries = queries.getQueryCache().subscribe(event => {
    if (event.type === 'updated' && event.action.type === 'failed') notice(event.action.error);
    if (event.type === 'updated' && event.action.type === 'error') notice(event.action.error);
  });
  const unwatchMutations = queries.getMutationCache().subscribe(event => {
    if (event.type === 'updated' && event.action.type === 'error') notice(event.action.error);
  });
  return () => {
    unwatchQueries();
    unwatchMutations();
  };
}

/** Returns a function that takes the caller of a session that has begun. What another user has read before is forgotten. */
export function useSignedIn(): (session: SessionInfo) => void {
  const queries = useQueryClient();
  return useCallback(
    session => {
      const before = queries.getQueryData<SessionInfo | null>(sessionKey);
      if (before?.name === session.name) void queries.invalidateQueries({ queryKey: [ofUser] });
      else queries.removeQueries({ queryKey: [ofUser] });
      queries.setQueryData(sessionKey, session);
      queries.setQueryData(endedKey, false);
    },
    [queries],
  );
}

/** Ends the session. */
export function useSignOut() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => api.call('signOut'),
    onSuccess: () => {
      queries.removeQueries({ queryKey: [ofUser] });
      queries.setQueryData(sessionKey, null);
    },
  });
}

async function readSession(queries: QueryClient, signal: AbortSignal): Promise<SessionInfo | null> {
  try {
    return await api.call('showSession', { signal });
  } catch (error) {
    if (toProblem(error).facts.status !== 401) throw error;
    const before = queries.getQueryData<SessionInfo | null>(sessionKey);
    if (!before) return null;
    queries.setQueryData(endedKey, true);
    return before;
  }
}
