import type { Stream } from './answers.ts';
import { mutated } from './mutate.ts';
import { faultOf } from './play.ts';
import { Random } from './random.ts';

/** The faults that are reported at most. */
const mostFaults = 20;

/** Plays mutated streams, one for each seed; returns what is wrong, with the seed and the steps that show it. */
export function faultsFrom(
  streams: readonly Stream[],
  { first, count }: { first: number; count: number },
): string[] {
  const faults: string[] = [];
  for (let seed = first; seed < first + count && faults.length < mostFaults; seed++) {
    const random = new Random(seed);
    const stream = mutated(random.of(streams), random);
    const fault = faultOf(stream, random);
    if (fault) faults.push(`seed ${seed}, ${stream.steps.join(', ')}: ${fault}`);
  }
  return faults;
}
