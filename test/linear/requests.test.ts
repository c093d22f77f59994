import { describe, expect, test } from 'vitest';
import { generating, others } from './endpoints.ts';
import { pairs, singles } from './grown.ts';
import { faultsOf } from './stages.ts';

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
