import { describe, expect, test } from 'vitest';
import { type Body, type Growable, generating, others } from './endpoints.ts';
import { type Naming, type Place, placesIn } from './schema.ts';
import { faultsOf } from './stages.ts';

function singles(growable: Growable): [string, (n: number) => Body][] {
  return placesIn(growable.schema).flatMap(place =>
    (['matching', 'alike'] as const).map((naming): [string, (n: number) => Body] => [
      `${place.path} ${naming}`,
      n => ({ [place.field]: place.grown(n, naming) }),
    ]),
  );
}

/** Lists of two fields that grow together. The lists of a conversation grow beside the tools alone. */
function pairs({ schema, conversation }: Growable): [string, (n: number) => Body][] {
  const lists = placesIn(schema).filter(({ path }) => /\[\d+\.\d+\]$/.test(path));
  const isTool = ({ field }: Place) => field === 'tools' || field === 'functions';
  const found: [Place, Place][] = lists.flatMap((one, at) =>
    lists
      .slice(at + 1)
      .filter(other => other.field !== one.field)
      .filter(other => one.field !== conversation || isTool(other))
      .filter(other => other.field !== conversation || isTool(one))
      .map((other): [Place, Place] => [one, other]),
  );
  return found.flatMap(([one, other]) =>
    (['matching', 'apart'] as const).map((naming: Naming): [string, (n: number) => Body] => [
      `${one.path} beside ${other.path} ${naming}`,
      n => ({ [one.field]: one.grown(n, naming), [other.field]: other.grown(n, naming) }),
    ]),
  );
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
