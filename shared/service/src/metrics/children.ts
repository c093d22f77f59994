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
