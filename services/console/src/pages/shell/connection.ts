import { onlineManager, type QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { toProblem } from '../problem.ts';

const probeMs = 2_000;
const limitMs = 5_000;

/**
 * Watches if the gateway answers. When a request gets no answer, it is asked if it is alive; while it is not, queries wait, and it
 * is asked again every 2 s. When it is back, all that is on the screen is read again. Returns a function that ends the watch.
 */
export function watchConnection(queries: QueryClient): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let probing = false;
  let ended = false;
  const probe = async () => {
    if (probing) return;
    probing = true;
    clearTimeout(timer);
    const alive = await isAlive();
    probing = false;
    if (ended) return;
    onlineManager.setOnline(alive);
    if (!alive) timer = setTimeout(probe, probeMs);
  };
  const notice = (error: unknown) => {
    if (toProblem(error).facts.code === 'unreachable') void probe();
  };
  const unwatchQueries = queries.getQueryCache().subscribe(event => {
    if (event.type === 'updated' && event.action.type === 'failed') notice(event.action.error);
  });
  const unwatchMutations = queries.getMutationCache().subscribe(event => {
    if (event.type === 'updated' && event.action.type === 'error') notice(event.action.error);
  });
  // The code of a page that is opened for the first time could not be loaded.
  addEventListener('vite:preloadError', probe);
  addEventListener('online', probe);
  addEventListener('offline', probe);
  return () => {
    ended = true;
    clearTimeout(timer);
    unwatchQueries();
    unwatchMutations();
    removeEventListener('vite:preloadError', probe);
    removeEventListener('online', probe);
    removeEventListener('offline', probe);
  };
}

/** True while the gateway answers, as far as it is known. */
export function useConnected(): boolean {
  return useSyncExternalStore(
    listener => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
}

async function isAlive(): Promise<boolean> {
  try {
    const { ok } = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(limitMs) });
    return ok;
  } catch {
    return false;
  }
}
