import { hash } from 'node:crypto';

/** Holds equal lists of texts once, while one of them is in use: many tokens have the same scopes. */
export class SharedLists {
  readonly #lists = new Map<string, WeakRef<readonly string[]>>();
  readonly #unused = new FinalizationRegistry<string>(key => {
    if (!this.#lists.get(key)?.deref()) this.#lists.delete(key);
  });

  /** Returns the list that is held of those that equal this one. */
  share<Text extends string>(list: readonly Text[]): readonly Text[] {
    const key = hash('sha256', JSON.stringify(list), 'base64url');
    const held = this.#lists.get(key)?.deref() as readonly Text[] | undefined;
    if (held) return held;
    this.#lists.set(key, new WeakRef(list));
    this.#unused.register(list, key);
    return list;
  }

  /** Number of different lists. */
  get size(): number {
    return this.#lists.size;
  }
}
