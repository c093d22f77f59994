/** Creates one object for each set of label values, once: to look up a series in the registry costs more than to count. */
export class Children<Child> {
  readonly #make: (first: string, second: string, third: string) => Child;
  readonly #made = new Map<string, Child>();

  constructor(make: (first: string, second: string, third: string) => Child) {
    this.#make = make;
  }

  of(first: string, second = '', third = ''): Child {
    const key = `${first}\n${second}\n${third}`;
    let child = this.#made.get(key);
    if (!child) {
      child = this.#make(first, second, third);
      this.#made.set(key, child);
    }
    return child;
  }
}

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
