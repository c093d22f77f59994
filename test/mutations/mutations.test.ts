import { expect, test } from 'vitest';
import { formats } from '../stack/formats.ts';
import { streamsOf } from './answers.ts';
import { faultsFrom } from './run.ts';

// test/upstreams plays more of them.
test.each(formats)('no mutated stream of %s throws, or is complete though it is not', format => {
  expect(faultsFrom(streamsOf(format), { first: 1, count: 300 })).toEqual([]);
});
