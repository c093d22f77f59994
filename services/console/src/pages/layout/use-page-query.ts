import { useCallback } from 'react';
import { useHref, useLocation, useSearchParams } from 'react-router';

type Change = (before: URLSearchParams) => URLSearchParams;

/**
 * Returns the query of the page's URL, and a function that replaces it without a step in the browser's history.
 * A change starts from the URL at that moment. `useSearchParams` starts from the URL that was last rendered, and so undoes a change that is not rendered yet.
 * A change from a page that the user has just left is ignored.
 */
export function usePageQuery(): [query: URLSearchParams, setQuery: (change: Change) => void] {
  const [query, setQuery] = useSearchParams();
  const page = useHref(useLocation().pathname);
  const set = useCallback(
    (change: Change) => {
      const { href, pathname, search } = window.location;
      if (new URL(page, href).pathname !== pathname) return;
      setQuery(change(new URLSearchParams(search)), { replace: true });
    },
    [page, setQuery],
  );
  return [query, set];
}
