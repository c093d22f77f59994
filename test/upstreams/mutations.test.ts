import { expect, test } from 'vitest';
import { streamsOf } from '../mutations/answers.ts';
import { faultsFrom } from '../mutations/run.ts';
import { formats } from '../stack/formats.ts';

/** The first seed: that of a run before shows the same faults. */
const first = Number(process.env.SEED ?? 1_000_000);

test.each(formats)('of 5,000 mutated streams of %s none throws, or is complete though it is not', format => {
  expect(faultsFrom(streamsOf(format), { first, count: 5_000 })).toEqual([]);
});
