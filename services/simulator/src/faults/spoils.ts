import type { Flow, Piece } from '../format.ts';
import { type Mark, marks } from './mark.ts';

/** What is done to a good answer. */
export interface Spoil {
  /** Stands in the text of the answer, for the flow to find. */
  mark?: Mark;
  /** A whole answer fails with the error that would interrupt the stream. */
  failsWhole?: boolean;
  /** The answer is good all the same; only how it comes is odd. */
  good?: boolean;
  /** `interruption` makes the error that comes after so many pieces. */
  flow(good: Flow, interruption: (written: number) => string): Flow;
}

const someBeats = 5;
const lineBytes = 100 * 1024 * 1024;
const lineStretch = 'x'.repeat(64 * 1024);

const nothing: Flow = { opening: [], beats: [], closing: [] };

/** By name; of two that begin alike the longer one comes first. */
export const spoils: Record<string, Spoil> = {
  hang: { flow: () => ({ ...nothing, end: 'silence' }) },
  stall: { flow: good => ({ ...cutShort(good), end: 'silence' }) },
  'reset-first': { flow: () => ({ ...nothing, end: 'reset' }) },
  reset: { flow: good => ({ ...cutShort(good), end: 'reset' }) },
  truncate: { flow: cutShort },
  malformed: { flow: good => ({ ...good, beats: breached(good) }) },
  slow: { good: true, flow: good => good },
  bytes: {
    good: true,
    flow: good => rewritten(good, piece => Array.from(Buffer.from(piece), byte => Uint8Array.of(byte))),
  },
  line: { good: true, mark: 'line', flow: good => rewritten(good, lengthened()) },
  u2028: {
    good: true,
    mark: 'u2028',
    flow: good => rewritten(good, piece => [piece.replaceAll('\\u2028', marks.u2028)]),
  },
  'error-first': {
    failsWhole: true,
    flow: (_good, interruption) => ({ ...nothing, opening: [interruption(0)] }),
  },
  error: { failsWhole: true, flow: interrupted },
  'no-end': { flow: good => ({ ...good, closing: good.closing.slice(0, -1) }) },
};

function cutShort({ opening, beats }: Flow): Flow {
  return { opening, beats: Iterator.from(beats).take(someBeats), closing: [] };
}

function interrupted({ opening, beats }: Flow, interruption: (written: number) => string): Flow {
  const some = Iterator.from(beats).take(someBeats).toArray();
  const written = opening.length + some.flat().length;
  return { opening, beats: some, closing: [interruption(written)] };
}

/** Half of an event, or of what a whole answer began with, is written once more in the middle. */
function* breached({ opening, beats }: Flow): Generator<Piece[]> {
  let last = opening.at(-1);
  let at = 0;
  for (const beat of beats) {
    if (at++ === someBeats) yield [breach(last)];
    last = beat.at(-1) ?? last;
    yield beat;
  }
  if (at <= someBeats) yield [breach(last)];
}

function breach(piece: Piece = ''): Piece {
  return `${piece.slice(0, piece.length / 2)}\n\n`;
}

function rewritten(good: Flow, rewrite: (piece: string) => Piece[]): Flow {
  const all = (pieces: Piece[]) =>
    pieces.flatMap(piece => (typeof piece === 'string' ? rewrite(piece) : [piece]));
  return {
    opening: all(good.opening),
    beats: Iterator.from(good.beats).map(all),
    // Only once the beats were: a rewrite may count.
    get closing() {
      return all(good.closing);
    },
  };
}

/** Writes 100 MB where the first mark is; formats that say a text again say it without them. */
function lengthened(): (piece: string) => Piece[] {
  let done = false;
  return piece => {
    const [before = '', ...after] = piece.split(marks.line);
    if (after.length === 0) return [piece];
    if (done) return [before + after.join('')];
    done = true;
    const stretches = Array<string>(lineBytes / lineStretch.length).fill(lineStretch);
    return [before, ...stretches, after.join('')];
  };
}
