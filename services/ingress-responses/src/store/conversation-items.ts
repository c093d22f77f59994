import { ItemList } from '../items/item-list.ts';
import type { ItemSource } from '../items/item-page.ts';
import type { ItemText } from '../items/item-text.ts';
import { type EntryFacts, entriesOf } from './conversation-record.ts';
import { entryId, readConversation, readConversationItems, unknownConversation } from './conversations.ts';
import type { Store } from './store.ts';

/** Returns the items of a conversation, of which only those that are asked for are read. @throws GatewayError if it does not exist */
export async function conversationItems(store: Store, project: string, id: string): Promise<ItemSource> {
  const { conversation } = await readConversation(store, project, id);
  const entries = entriesOf(conversation);
  if (entries) return new EntryItems(store, { project, conversation: id, entries });
  const history = await readConversationItems(store, project, conversation);
  return ItemList.of(history?.items ?? '');
}

interface Entries {
  project: string;
  conversation: string;
  /** The oldest first. */
  entries: readonly EntryFacts[];
}

/** The items in the entries of a conversation. */
class EntryItems implements ItemSource {
  readonly #store: Store;
  readonly #entries: Entries;
  readonly #opened = new Map<string, ItemList>();

  constructor(store: Store, entries: Entries) {
    this.#store = store;
    this.#entries = entries;
  }

  get count(): number {
    return this.#entries.entries.reduce((sum, { items }) => sum + items, 0);
  }

  async read(from: number, to: number): Promise<ItemText[]> {
    const all: ItemText[] = [];
    for (const { entry, start } of this.#places()) {
      const [first, end] = [Math.max(0, from - start), Math.min(entry.items, to - start)];
      if (first < end) all.push(...(await (await this.#open(entry.id)).read(first, end)));
    }
    return all;
  }

  async find(id: string): Promise<number | undefined> {
    for (const { entry, start } of this.#likelyFirst(id)) {
      const place = await (await this.#open(entry.id)).find(id);
      if (place !== undefined) return start + place;
    }
    return undefined;
  }

  /** The entries, with the place of the first item of each. */
  #places(): { entry: EntryFacts; start: number }[] {
    let start = 0;
    return this.#entries.entries.map(entry => {
      const place = { entry, start };
      start += entry.items;
      return place;
    });
  }

  /** The entries, beginning with the one that an item's id names, if there is one. */
  #likelyFirst(id: string): { entry: EntryFacts; start: number }[] {
    const name = /_([0-9a-f]{24})_(?:in)?\d+$/.exec(id)?.[1];
    const likely = name && entryId(this.#entries.conversation, name);
    const places = this.#places();
    const first = places.filter(({ entry }) => entry.id === likely);
    return first.length > 0 ? [...first, ...places.filter(({ entry }) => entry.id !== likely)] : places;
  }

  /** Opens the items of an entry, which does not change. */
  async #open(entry: string): Promise<ItemList> {
    const known = this.#opened.get(entry);
    if (known) return known;
    const { project, conversation } = this.#entries;
    const items = await this.#store.useItems(project, entry, async items => items);
    if (!items) throw unknownConversation(conversation);
    this.#opened.set(entry, items);
    return items;
  }
}
