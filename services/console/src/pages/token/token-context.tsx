import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { type Problem, toProblem } from '../problem.ts';
import { checkToken, type TokenCheck } from './check-token.ts';

/** The token that the console works with, and what is known of it. */
export interface TokenState {
  secret: string;
  setSecret(secret: string): void;
  /** Whether the gateway is being asked about this very secret, with nothing known of it yet. */
  checking: boolean;
  check: TokenCheck | undefined;
  /** Why nothing can be said. */
  problem: Problem | undefined;
}

const Context = createContext<TokenState | undefined>(undefined);

const typingMs = 250;
/** How often a token is looked at again while control, or the gateway, is away. */
const againMs = 5_000;

export function TokenProvider({ children }: { children: ReactNode }) {
  const [secret, keep] = useState(tokenMemory.read);
  const [settled] = useDebouncedValue(secret, typingMs);
  const { data, error } = useQuery({
    queryKey: ['token', settled],
    queryFn: ({ signal }) => checkToken(settled, signal),
    enabled: settled !== '',
    retry: false,
    staleTime: 10_000,
    gcTime: 0,
    refetchInterval: ({ state }) => (state.error || state.data?.state === 'accepted' ? againMs : false),
  });
  const current = secret === settled && secret !== '';
  const value: TokenState = {
    secret,
    setSecret(text) {
      const trimmed = text.trim();
      tokenMemory.write(trimmed);
      keep(trimmed);
    },
    checking: secret !== '' && (!current || (!data && !error)),
    check: current && !error ? data : undefined,
    problem: current && error ? toProblem(error) : undefined,
  };
  return <Context value={value}>{children}</Context>;
}

export function useToken(): TokenState {
  const state = useContext(Context);
  if (!state) throw new Error('there is no TokenProvider around this');
  return state;
}

const key = 'model-gateway.token';

/** The token of this tab: it goes with the tab, and is in no URL. Where the browser keeps nothing, neither do we. */
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
      // It lasts as long as the page then.
    }
  },
};
