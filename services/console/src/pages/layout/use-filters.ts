import { useCallback } from 'react';
import { usePageQuery } from './use-page-query.ts';

/** Filters of a list, as the query of the page's URL has them, so that a link shows the same list. An empty text filters nothing. */
export interface Filters<Name extends string> {
  values: Record<Name, string>;
  set(changes: Partial<Record<Name, string>>): void;
  /** True if any of them is set. */
  any: boolean;
  clear(): void;
}

/** Reads and changes the filters in the URL's query. Other fields of the query stay as they are. */
export function useFilters<Name extends string>(names: readonly Name[]): Filters<Name> {
  const [query, setQuery] = usePageQuery();
  const values = Object.fromEntries(names.map(name => [name, query.get(name) ?? ''])) as Record<Name, string>;
  const set = useCallback(
    (changes: Partial<Record<Name, string>>) =>
      setQuery(before => {
        const after = new URLSearchParams(before);
        for (const [name, value] of Object.entries<string | undefined>(changes))
          if (value) after.set(name, value);
          else after.delete(name);
        return after;
      }),
    [setQuery],
  );
  const clear = () => set(Object.fromEntries(names.map(name => [name, ''])) as Partial<Record<Name, string>>);
  return { values, set, any: names.some(name => values[name] !== ''), clear };
}
