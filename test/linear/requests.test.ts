import { describe, expect, test } from 'vitest';
import { type Body, type Growable, generating, others } from './endpoints.ts';
import { type Naming, type Place, placesIn } from './schema.ts';
import { faultsOf } from './stages.ts';

/** The names within a list may be those that others have, or all the same. */
function namings({ isList }: Place): readonly Naming[] {
  return isList ? ['matching', 'alike'] : ['matching'];
}

function singles(growable: Growable): [string, (n: number) => Body][] {
  return placesIn(growable.schema).flatMap(place =>
    namings(place).map((naming): [string, (n: number) => Body] => [
      `${place.path} ${naming}`,
      n => ({ [place.field]: place.grown(n, naming) }),
    ]),
  );
}

/** Lists of two fields that grow together. Those of a conversation grow beside the first kind of tools alone. */
function pairs({ schema, conversation }: Growable): [string, (n: number) => Body][] {
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

function together(one: Place, other: Place, naming: Naming): [string, (n: number) => Body][] {
  const grown = (n: number) => ({ [one.field]: one.grown(n, naming), [other.field]: other.grown(n, naming) });
  return [[`${one.path} beside ${other.path} ${naming}`, grown]];
}

describe.each(Object.entries({ ...generating, ...others }))(
  'a request in the format %s',
  (_format, growable) => {
    test('takes no longer for each item if any field of it grows', () => {
      const faults = singles(growable).flatMap(([what, grown]) =>
        faultsOf(growable, grown).map(fault => `${what}: ${fault}`),
      );
      expect(faults).toEqual([]);
    });

    test('takes no longer for each item if two of its fields grow', () => {
      const faults = pairs(growable).flatMap(([what, grown]) =>
        faultsOf(growable, grown).map(fault => `${what}: ${fault}`),
      );
      expect(faults).toEqual([]);
    });
  },
);
