import { QueryClient } from '@tanstack/react-query';
import { toProblem } from '../problem.ts';

const retries = 2;

/** The cache of what the pages have read. What may be over a moment later is read again; a refusal is not. */
export function makeQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: (times, error) => times < retries && isPassing(error) },
      // A change that cannot be sent fails at once and says so: it must not be made later, when the user may not expect it.
      mutations: { networkMode: 'always' },
    },
  });
}

function isPassing(thrown: unknown): boolean {
  const { status = 0, code } = toProblem(thrown).facts;
  return code === 'unreachable' || status >= 500;
}
