import { largestPage } from '@model-gateway/admin-api';
import { useQuery } from '@tanstack/react-query';
import { api, ofUser } from '../api.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';

/** Returns a function that names a token by its id: a part of the id if the token is revoked, or the user may not see it. */
export function useTokenNames(): (id: string) => string {
  const { session } = useSession();
  const { data } = useQuery({
    queryKey: [ofUser, 'token-names'],
    queryFn: async ({ signal }) => {
      const names = new Map<string, string>();
      for (let cursor: string | null = '', pages = 0; cursor !== null && pages < mostPages; pages++) {
        const query = { limit: String(largestPage), ...(cursor && { cursor }) };
        const { data, next }: Awaited<ReturnType<typeof readTokens>> = await readTokens(query, signal);
        for (const { id, name } of data) names.set(id, name);
        cursor = next;
      }
      return names;
    },
    staleTime: 60_000,
    enabled: may(session, 'listTokens'),
  });
  return id => data?.get(id) ?? id.slice(0, 8);
}

/** The most pages of tokens that are read for their names. */
const mostPages = 10;

const readTokens = (query: Record<string, string>, signal: AbortSignal) =>
  api.call('listTokens', { query, signal });
