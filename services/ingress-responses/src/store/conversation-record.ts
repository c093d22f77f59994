/** The facts about one entry of a conversation. */
export interface EntryFacts {
  id: string;
  /** The time at which it was stored, in milliseconds since 1970. */
  at: number;
  /** The bytes of its items. */
  bytes: number;
  /** The number of its items. */
  items: number;
}

/** A conversation. Its key holds the project; its items are in the chain of entries that ends with `last`. */
export interface Conversation {
  id: string;
  /** In seconds since 1970. */
  created_at: number;
  metadata: Record<string, string>;
  /** The id of the last entry; null if the conversation is empty. */
  last: string | null;
  /** The entries that hold its items, the oldest first. Earlier versions write none, and leave those that they find. */
  entries?: EntryFacts[];
  /** The space of all entries that were ever stored, in bytes; absent if an earlier version stored some. */
  stored?: number;
}

/** Returns the entries of a conversation, the oldest first; undefined if an earlier version changed it last. */
export function entriesOf({ last, entries = [] }: Conversation): EntryFacts[] | undefined {
  return last === (entries.at(-1)?.id ?? null) ? entries : undefined;
}

/** The bytes and the number of the items of a conversation. */
export function sizeOf(entries: readonly EntryFacts[]): { bytes: number; items: number } {
  const sum = (of: (entry: EntryFacts) => number) => entries.reduce((all, entry) => all + of(entry), 0);
  return { bytes: sum(({ bytes }) => bytes), items: sum(({ items }) => items) };
}
