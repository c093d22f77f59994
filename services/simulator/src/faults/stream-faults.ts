import type { Chunk, Flow } from '../format.ts';
import type { Answer, Reply } from '../responder/answer.ts';

/** Characters in the text of an answer that mark where a fault is applied. */
export const marks = { line: '\uE000', u2028: '\u2028' } as const;
export type Mark = keyof typeof marks;

/** Puts a mark after the first token of text; an answer that only calls tools has none. */
export function marked(answer: Answer, mark: Mark): Answer {
  return { ...answer, replies: answer.replies.map(reply => markedReply(reply, marks[mark])) };
}

export function withMark(text: string, mark?: Mark): string {
  return mark ? text + marks[mark] : text;
}

function markedReply(reply: Reply, character: string): Reply {
  const first = reply.steps.findIndex(({ kind }) => kind === 'text');
  const steps = reply.steps.map((step, at) =>
    at === first && step.kind === 'text' ? { ...step, text: step.text + character } : step,
  );
  return { ...reply, steps };
}

/** A fault in the way an answer is written. */
export interface StreamFault {
  /** Stands in the text of the answer, for the flow to find. */
  mark?: Mark;
  /** A whole answer fails with the error that would interrupt the stream. */
  failsWhole?: boolean;
  /** The answer is good all the same; only how it comes is odd. */
  good?: boolean;
  /** `errorEvent` makes the error after a number of chunks. */
  flow(good: Flow, errorEvent: (written: number) => string): Flow;
}

const someTicks = 5;
const lineBytes = 100 * 1024 * 1024;
const lineStretch = 'x'.repeat(64 * 1024);

const nothing: Flow = { opening: [], ticks: [], closing: [] };

/** By name. If one name begins with another, the longer one comes first. */
export const streamFaults: Record<string, StreamFault> = {
  hang: { flow: () => ({ ...nothing, end: 'silence' }) },
  stall: { flow: good => ({ ...cutShort(good), end: 'silence' }) },
  'reset-first': { flow: () => ({ ...nothing, end: 'reset' }) },
  reset: { flow: good => ({ ...cutShort(good), end: 'reset' }) },
  truncate: { flow: cutShort },
  malformed: { flow: good => ({ ...good, ticks: withBrokenEvent(good) }) },
  slow: { good: true, flow: good => good },
  bytes: {
    good: true,
    flow: good => rewritten(good, chunk => Array.from(Buffer.from(chunk), byte => Uint8Array.of(byte))),
  },
  line: { good: true, mark: 'line', flow: good => rewritten(good, withLongLine()) },
  u2028: {
    good: true,
    mark: 'u2028',
    flow: good => rewritten(good, chunk => [chunk.replaceAll('\\u2028', marks.u2028)]),
  },
  'error-first': {
    failsWhole: true,
    flow: (_good, errorEvent) => ({ ...nothing, opening: [errorEvent(0)] }),
  },
  error: { failsWhole: true, flow: interrupted },
  'no-end': { flow: good => ({ ...good, closing: good.closing.slice(0, -1) }) },
};

function cutShort({ opening, ticks }: Flow): Flow {
  return { opening, ticks: Iterator.from(ticks).take(someTicks), closing: [] };
}

function interrupted({ opening, ticks }: Flow, errorEvent: (written: number) => string): Flow {
  const some = Iterator.from(ticks).take(someTicks).toArray();
  const written = opening.length + some.flat().length;
  return { opening, ticks: some, closing: [errorEvent(written)] };
}

/** Writes half of a chunk again after some ticks. */
function* withBrokenEvent({ opening, ticks }: Flow): Generator<Chunk[]> {
  let last = opening.at(-1);
  let at = 0;
  for (const tick of ticks) {
    if (at++ === someTicks) yield [breach(last)];
    last = tick.at(-1) ?? last;
    yield tick;
  }
  if (at <= someTicks) yield [breach(last)];
}

function breach(chunk: Chunk = ''): Chunk {
  return `${chunk.slice(0, chunk.length / 2)}\n\n`;
}

function rewritten(good: Flow, rewrite: (chunk: string) => Chunk[]): Flow {
  const all = (chunks: Chunk[]) =>
    chunks.flatMap(chunk => (typeof chunk === 'string' ? rewrite(chunk) : [chunk]));
  return {
    opening: all(good.opening),
    ticks: Iterator.from(good.ticks).map(all),
    // A getter, since rewriting the ticks comes first.
    get closing() {
      return all(good.closing);
    },
  };
}

/** Writes 100 MB at the first mark, and nothing at later ones. */
function withLongLine(): (chunk: string) => Chunk[] {
  let done = false;
  return chunk => {
    const [before = '', ...after] = chunk.split(marks.line);
    if (after.length === 0) return [chunk];
    if (done) return [before + after.join('')];
    done = true;
    const stretches = Array<string>(lineBytes / lineStretch.length).fill(lineStretch);
    return [before, ...stretches, after.join('')];
  };
}
