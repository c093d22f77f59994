import type { Answer } from '../responder/answer.ts';
import { type Chunk, type Flow, mapped, withoutLast } from './format.ts';

/** Characters that mark the position of a fault in the text of an answer. */
export const marks = { line: '\uE000', u2028: '\u2028' } as const;
export type Mark = keyof typeof marks;

/** Puts a mark after the first token of text. An answer that only calls tools gets no mark. */
export function marked(answer: Answer, mark: Mark): Answer {
  const replies = answer.replies.map(reply => {
    const first = reply.steps.find(({ kind }) => kind === 'text');
    const steps = reply.steps.map(step =>
      step === first && step.kind === 'text' ? { ...step, text: step.text + marks[mark] } : step,
    );
    return { ...reply, steps };
  });
  return { ...answer, replies };
}

export function withMark(text: string, mark?: Mark): string {
  return mark ? text + marks[mark] : text;
}

/** A fault in the writes of an answer. */
export interface StreamFault {
  /** Put into the text of the answer for `flow` to find. */
  mark?: Mark;
  /** True if a whole answer fails with the error of the stream. */
  failsWhole?: boolean;
  /** True if the answer is correct and only its writes are unusual. */
  good?: boolean;
  /** `errorEvent` returns the error after a number of chunks. */
  flow(good: Flow, errorEvent: (written: number) => Chunk): Flow;
}

const someTicks = 5;
const lineBytes = 100 * 1024 * 1024;
const lineStretch = 'x'.repeat(64 * 1024);

const nothing: Flow = { opening: [], ticks: [], closing: [] };

/** By name. If one name begins with another, the longer name comes first. */
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
  'no-end': { flow: good => ({ ...good, closing: withoutLast(good.closing) }) },
};

function cutShort({ opening, ticks }: Flow): Flow {
  return { opening, ticks: Iterator.from(ticks).take(someTicks), closing: [] };
}

function interrupted({ opening, ticks }: Flow, errorEvent: (written: number) => Chunk): Flow {
  const some = Iterator.from(ticks).take(someTicks).toArray();
  const written = opening.length + some.flat().length;
  return { opening, ticks: some, closing: [errorEvent(written)] };
}

/** Writes half of a chunk again after some ticks. */
function* withBrokenEvent({ opening, ticks }: Flow): Generator<Chunk[]> {
  let last = opening.at(-1);
  let at = 0;
  for (const tick of ticks) {
    if (at++ === someTicks) yield [half(last)];
    last = tick.at(-1) ?? last;
    yield tick;
  }
  if (at <= someTicks) yield [half(last)];
}

function half(chunk: Chunk = ''): Chunk {
  return `${chunk.slice(0, chunk.length / 2)}\n\n`;
}

function rewritten(good: Flow, rewrite: (chunk: string) => Chunk[]): Flow {
  return mapped(good, chunk => (typeof chunk === 'string' ? rewrite(chunk) : [chunk]));
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
