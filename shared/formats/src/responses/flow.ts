import type { GenerateEvent, PartEndEvent, PartStart } from '@model-gateway/canonical';

/** Returns the index of the next part. */
export type NextPart = () => number;

/** A part whose text arrives as deltas, whole at its end, or both. It begins with its first text or `begin`. */
export class Flow {
  readonly #part: PartStart;
  readonly #nextPart: NextPart;
  #index: number | undefined;
  #length = 0;
  #ended = false;

  constructor(part: PartStart, nextPart: NextPart) {
    this.#part = part;
    this.#nextPart = nextPart;
  }

  /** The number of characters so far. */
  get length(): number {
    return this.#length;
  }

  begin(): GenerateEvent[] {
    if (this.#index !== undefined) return [];
    this.#index = this.#nextPart();
    return [{ type: 'part-start', index: this.#index, part: this.#part }];
  }

  add(text: string): GenerateEvent[] {
    if (text === '' || this.#ended) return [];
    const begun = this.begin();
    this.#length += text.length;
    return [...begun, { type: 'part-delta', index: this.#index as number, text }];
  }

  /** Adds the rest of the whole text, beyond the deltas received. */
  whole(text: string): GenerateEvent[] {
    return this.add(text.slice(this.#length));
  }

  /** Ends the part if it has begun. */
  end(more: Pick<PartEndEvent, 'signature' | 'citations'> = {}): GenerateEvent[] {
    if (this.#index === undefined || this.#ended) return [];
    this.#ended = true;
    return [{ type: 'part-end', index: this.#index, ...more }];
  }
}
