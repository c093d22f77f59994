import type { Body, Growable } from './endpoints.ts';
import { type Naming, type Place, placesIn } from './schema.ts';

/** A request that grows, and what grows of it. */
export type Grown = [what: string, body: (n: number) => Body];

/** The names within a list may be those that others have, or all the same. */
function namings({ isList }: Place): readonly Naming[] {
  return isList ? ['matching', 'alike'] : ['matching'];
}

/** Returns the requests of which one place grows. */
export function singles(growable: Growable): Grown[] {
  return placesIn(growable.schema).flatMap(place =>
    namings(place).map(
      (naming): Grown => [`${place.path} ${naming}`, n => ({ [place.field]: place.grown(n, naming) })],
    ),
  );
}

/** Returns the requests of which lists of two fields grow together. Those of a conversation grow beside the first kind of tools alone. */
export function pairs({ schema, conversation }: Growable): Grown[] {
  const lists = placesIn(schema).filter(({ isList }) => isList);
  const said = lists.filter(({ field }) => field === conversation);
  const others = lists.filter(({ field }) => field !== conversation);
  const tools = others.find(({ field }) => field === 'tools');
  return [
    ...said.flatMap(one => (tools ? together(one, tools, 'matching') : [])),
    ...others.flatMap((one, at) =>
      others
        .slice(at + 1)
        .filter(({ field }) => field !== one.field)
        .flatMap(other => [...together(one, other, 'matching'), ...together(one, other, 'apart')]),
    ),
  ];
}

function together(one: Place, other: Place, naming: Naming): Grown[] {
  const grown = (n: number) => ({ [one.field]: one.grown(n, naming), [other.field]: other.grown(n, naming) });
  return [[`${one.path} beside ${other.path} ${naming}`, grown]];
}
