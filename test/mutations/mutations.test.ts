import { expect, test } from 'vitest';
import { streamFormats, streamsOf } from './answers.ts';
import { faultsFrom } from './run.ts';

// test/upstreams plays more of them.
test.each(streamFormats)('no mutated stream of %s throws, or is complete though it is not', format => {
  expect(faultsFrom(streamsOf(format), { first: 1, count: 300 })).toEqual([]);
});
