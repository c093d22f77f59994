import type { FinishEvent, GenerateEvent, Usage } from '@model-gateway/canonical';
import type { Turn } from '@model-gateway/json';
import type { Decoder } from './dialect.ts';
import { unsupported } from './request-body.ts';

/** The most stop sequences of one request that the gateway looks for. */
export const maxStops = 16;
/** The longest stop sequence that the gateway looks for, in characters. */
export const maxStopLength = 256;

/** @throws GatewayError for more or longer stop sequences than the gateway looks for */
export function checkStops(stop: readonly string[] = []): void {
  const count = stop.filter(sequence => sequence !== '').length;
  if (count > maxStops)
    throw unsupported('stop', `this model takes at most ${maxStops} stop sequences, but got ${count}`);
  const long = stop.find(({ length }) => length > maxStopLength);
  if (long === undefined) return;
  const bound = `this model takes stop sequences of at most ${maxStopLength} characters`;
  throw unsupported('stop', `${bound}, but got one of ${long.length}`);
}

/** A stop sequence. */
interface Stop {
  text: string;
  /** For each beginning of it, the length of the longest shorter one with which that one ends. */
  shorter: Uint16Array;
}

/** Ends a response of one choice at a stop sequence, for upstreams that do not support them. */
export class StopCut implements Decoder {
  readonly #inner: Decoder;
  readonly #stops: readonly Stop[];
  /** Text held back for each open text part, because a stop sequence may start in it. */
  readonly #held = new Map<number, string>();
  #over = false;

  /** `stop` is what {@link checkStops} allows. */
  constructor(inner: Decoder, stop: readonly string[]) {
    this.#inner = inner;
    this.#stops = stop.map(text => ({ text, shorter: shorterBeginnings(text) }));
  }

  get complete(): boolean {
    return this.#inner.complete ?? false;
  }

  get mayGoOn(): boolean {
    return this.#inner.mayGoOn ?? false;
  }

  get usage(): Usage | null {
    return this.#inner.usage ?? null;
  }

  get characters(): number {
    return this.#inner.characters ?? 0;
  }

  get held(): number {
    return this.#inner.held ?? 0;
  }

  /** True after a stop sequence. Further output of the upstream is dropped. */
  get cut(): boolean {
    return this.#over;
  }

  read(bytes: Buffer): GenerateEvent[] {
    return this.#over ? [] : this.#cutAt(this.#inner.read(bytes));
  }

  readInSteps(bytes: Buffer, turn: Turn): GenerateEvent[] | Promise<GenerateEvent[]> {
    if (this.#over) return [];
    return this.#cut(this.#inner.readInSteps?.(bytes, turn) ?? this.#inner.read(bytes));
  }

  end(): GenerateEvent[] {
    return this.#over ? [] : this.#cutAt(this.#inner.end());
  }

  endInSteps(turn: Turn): GenerateEvent[] | Promise<GenerateEvent[]> {
    if (this.#over) return [];
    return this.#cut(this.#inner.endInSteps?.(turn) ?? this.#inner.end());
  }

  #cut(read: GenerateEvent[] | Promise<GenerateEvent[]>): GenerateEvent[] | Promise<GenerateEvent[]> {
    return read instanceof Promise ? read.then(events => this.#cutAt(events)) : this.#cutAt(read);
  }

  /** Returns the events up to the first stop sequence, followed by the finish. */
  #cutAt(events: readonly GenerateEvent[]): GenerateEvent[] {
    const passed: GenerateEvent[] = [];
    for (const event of events) {
      if (this.#over) break;
      passed.push(...this.#look(event));
    }
    return passed;
  }

  #look(event: GenerateEvent): GenerateEvent[] {
    switch (event.type) {
      case 'part-start':
        if (event.part.type === 'text') this.#held.set(event.index, '');
        return [event];
      case 'part-delta': {
        const held = this.#held.get(event.index);
        return held === undefined ? [event] : this.#text(event.index, held + event.text);
      }
      case 'part-end': {
        const text = this.#held.get(event.index);
        this.#held.delete(event.index);
        return text ? [{ type: 'part-delta', index: event.index, text }, event] : [event];
      }
      default:
        return [event];
    }
  }

  #text(index: number, text: string): GenerateEvent[] {
    const found = this.#first(text);
    const passed = text.slice(0, found?.at ?? text.length - this.#heldLength(text));
    const delta: GenerateEvent[] = passed === '' ? [] : [{ type: 'part-delta', index, text: passed }];
    if (!found) {
      this.#held.set(index, text.slice(passed.length));
      return delta;
    }
    this.#over = true;
    const end = { reason: 'stop-sequence', raw: null, stopSequence: found.stop } as const;
    const finish: FinishEvent = { type: 'finish', ...end, usage: this.usage };
    return [...delta, { type: 'part-end', index }, finish];
  }

  #first(text: string): { at: number; stop: string } | undefined {
    let first: { at: number; stop: string } | undefined;
    for (const { text: stop } of this.#stops) {
      const at = text.indexOf(stop);
      if (at >= 0 && at < (first?.at ?? Number.POSITIVE_INFINITY)) first = { at, stop };
    }
    return first;
  }

  /** Returns the number of final characters that may start a stop sequence. */
  #heldLength(text: string): number {
    let longest = 0;
    for (const stop of this.#stops) longest = Math.max(longest, begunLength(text, stop));
    return longest;
  }
}

/** Returns the length of the longest beginning of a stop sequence with which a text ends, which does not hold the sequence. */
function begunLength(text: string, { text: stop, shorter }: Stop): number {
  let length = 0;
  for (let at = Math.max(0, text.length - stop.length + 1); at < text.length; at++)
    length = longer(stop, shorter, length, text.charCodeAt(at));
  return length;
}

/** Compares the text with itself, as Knuth, Morris and Pratt do, so that no character is looked at for each beginning. */
function shorterBeginnings(text: string): Uint16Array {
  const shorter = new Uint16Array(text.length + 1);
  for (let at = 1; at < text.length; at++)
    shorter[at + 1] = longer(text, shorter, shorter[at] ?? 0, text.charCodeAt(at));
  return shorter;
}

/** Returns the length of the beginning of `stop` that is found once a character follows one of `length`. */
function longer(stop: string, shorter: Uint16Array, length: number, character: number): number {
  let found = length;
  while (found > 0 && stop.charCodeAt(found) !== character) found = shorter[found] ?? 0;
  return stop.charCodeAt(found) === character ? found + 1 : found;
}
