import type { FinishEvent, GenerateEvent, Usage } from '@model-gateway/canonical';
import type { Turn } from '@model-gateway/json';
import type { Decoder } from './dialect.ts';

/** Ends a response of one choice at a stop sequence, for upstreams that do not support them. */
export class StopCut implements Decoder {
  readonly #inner: Decoder;
  readonly #stop: readonly string[];
  /** Text held back for each open text part, because a stop sequence may start in it. */
  readonly #held = new Map<number, string>();
  #over = false;

  constructor(inner: Decoder, stop: readonly string[]) {
    this.#inner = inner;
    this.#stop = stop;
  }

  get complete(): boolean {
    return this.#inner.complete ?? false;
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
    const read = this.#inner.readInSteps?.(bytes, turn) ?? this.#inner.read(bytes);
    return read instanceof Promise ? read.then(events => this.#cutAt(events)) : this.#cutAt(read);
  }

  end(): GenerateEvent[] {
    return this.#over ? [] : this.#cutAt(this.#inner.end());
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
    const found = this.#stop.map(stop => ({ at: text.indexOf(stop), stop })).filter(({ at }) => at >= 0);
    return found.sort((a, b) => a.at - b.at)[0];
  }

  /** Returns the number of final characters that may start a stop sequence. */
  #heldLength(text: string): number {
    const longest = Math.max(...this.#stop.map(({ length }) => length)) - 1;
    for (let length = Math.min(longest, text.length); length > 0; length--) {
      const end = text.slice(-length);
      if (this.#stop.some(stop => stop.startsWith(end))) return length;
    }
    return 0;
  }
}
