import type { GenerateEvent, PartEndEvent, PartStart } from '@model-gateway/canonical';

/** Numbers a part as it begins. */
export type NextPart = () => number;

/** A part whose text comes in pieces, whole at its end, or both. It begins with its first text, unless told to. */
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

  /** How many characters came so far. */
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

  /** Takes the text as a whole: what of it did not come in pieces is added. */
  whole(text: string): GenerateEvent[] {
    return this.add(text.slice(this.#length));
  }

  /** Ends it, if it ever began. */
  end(more: Pick<PartEndEvent, 'signature' | 'citations'> = {}): GenerateEvent[] {
    if (this.#index === undefined || this.#ended) return [];
    this.#ended = true;
    return [{ type: 'part-end', index: this.#index, ...more }];
  }
}
