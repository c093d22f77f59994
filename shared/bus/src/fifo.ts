/** How many places that were read may wait to be freed. */
const maxRead = 1_024;

/** First in, first out; unlike an array's `shift`, at a cost that does not grow with how many wait. */
export class Fifo<Item> {
  #items: Item[] = [];
  #next = 0;

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const item = this.#items[this.#next];
    if (this.#next < this.#items.length) this.#next++;
    if (this.#next === this.#items.length || this.#next > maxRead) {
      this.#items = this.#items.slice(this.#next);
      this.#next = 0;
    }
    return item;
  }
}
