/** The label value for everything that is not named. */
export const otherName = 'other';

/** The most names of one kind that a process shows in its metrics. */
export const mostNames = 1_000;

/** Bounds the values of a label: the first names are shown, all further ones are `other`. */
export class BoundedNames {
  readonly #names = new Set<string>();
  readonly #most: number;

  constructor(most = mostNames) {
    this.#most = most;
  }

  of(name: string): string {
    if (this.#names.has(name)) return name;
    if (this.#names.size >= this.#most) return otherName;
    this.#names.add(name);
    return name;
  }
}
