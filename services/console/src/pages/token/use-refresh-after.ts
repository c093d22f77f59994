import { useEffect, useRef } from 'react';
import { useToken } from './token-context.tsx';

/** Reads the token again whenever an answer has ended, to show what is left of its limits and budgets. */
export function useRefreshAfter(running: boolean): void {
  const { refresh } = useToken();
  const was = useRef(running);
  useEffect(() => {
    if (was.current && !running) refresh();
    was.current = running;
  }, [running, refresh]);
}
