/**
 * Tells the one choice that was asked for from others. Its index is not believed: some servers count it up from chunk to chunk, or begin at
 * another number.
 */
export class OneChoice {
  readonly #wantsOne: () => boolean;
  #isWanted: boolean | undefined;
  #first: number | undefined;
  #last: number | undefined;
  /** True once an index came twice, or beside another: then it tells choices apart. */
  #isSteady = false;

  /** `wantsOne` is called once an index needs it. */
  constructor(wantsOne: () => boolean) {
    this.#wantsOne = wantsOne;
  }

  /** Sets the index of each choice of a chunk: 0 for the one choice, if one was asked for. Returns true if another index was sent. */
  place(choices: readonly { index?: number | null | undefined }[]): boolean {
    if (choices.length > 1) this.#isSteady = true;
    let isOther = false;
    for (const choice of choices) {
      const index = Number(choice.index) || 0;
      const isFirst = this.#isFirst(index);
      choice.index = index;
      if (isFirst === (index === 0)) continue;
      this.#isWanted ??= this.#wantsOne();
      if (this.#isWanted) choice.index = isFirst ? 0 : 1;
      isOther ||= choice.index !== index;
    }
    return isOther;
  }

  /** True for an index of the choice that began first. */
  #isFirst(index: number): boolean {
    if (index === this.#last || index === this.#first) this.#isSteady = true;
    else if (this.#last !== undefined && (this.#isSteady || index < this.#last)) return false;
    this.#first ??= index;
    this.#last = index;
    return true;
  }
}
