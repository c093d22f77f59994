import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { type Problem, toProblem } from '../problem.ts';
import { checkToken, type TokenCheck } from './check-token.ts';

/** The token of the console, and the result of its check. */
export interface TokenState {
  secret: string;
  setSecret(secret: string): void;
  /** True while this secret is being checked and there is no result yet. */
  checking: boolean;
  check: TokenCheck | undefined;
  /** The reason why the check failed. */
  problem: Problem | undefined;
  /** Reads the token again, as after an answer that used some of its limits. */
  refresh(): void;
}

const Context = createContext<TokenState | undefined>(undefined);

const typingMs = 250;
/** The interval at which a token is checked again while something of it cannot be known. */
const recheckMs = 5_000;

export function TokenProvider({ children }: { children: ReactNode }) {
  const [secret, storeSecret] = useState(tokenMemory.read);
  const [settled] = useDebouncedValue(secret, typingMs);
  const { data, error, refetch } = useQuery({
    queryKey: ['token', settled],
    queryFn: ({ signal }) => checkToken(settled, signal),
    enabled: settled !== '',
    retry: false,
    staleTime: 10_000,
    gcTime: 0,
    refetchInterval: ({ state }) => (state.error || isPartial(state.data) ? recheckMs : false),
  });
  const refresh = useCallback(() => void (settled && refetch()), [settled, refetch]);
  const current = secret === settled && secret !== '';
  const value: TokenState = {
    secret,
    setSecret(text) {
      const trimmed = text.trim();
      tokenMemory.write(trimmed);
      storeSecret(trimmed);
    },
    checking: secret !== '' && (!current || (!data && !error)),
    check: current && !error ? data : undefined,
    problem: current && error ? toProblem(error) : undefined,
    refresh,
  };
  return <Context value={value}>{children}</Context>;
}

/** True for a token that control, or the process that counts for its limits, did not tell about. */
function isPartial(check: TokenCheck | undefined): boolean {
  return check?.state === 'accepted' || (check?.state === 'known' && check.token.limitsLeft === null);
}

export function useToken(): TokenState {
  const state = useContext(Context);
  if (!state) throw new Error('useToken must be used within a TokenProvider');
  return state;
}

const key = 'model-gateway.token';

/** Stores the token in the tab's session storage, if the browser allows it. The token is never in a URL. */
const tokenMemory = {
  read(): string {
    try {
      return sessionStorage.getItem(key) ?? '';
    } catch {
      return '';
    }
  },
  write(secret: string): void {
    try {
      if (secret) sessionStorage.setItem(key, secret);
      else sessionStorage.removeItem(key);
    } catch {
      // Without storage, the token lasts as long as the page.
    }
  },
};
