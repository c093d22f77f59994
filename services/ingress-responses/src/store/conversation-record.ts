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

/** A conversation. Its key holds the project. */
export interface Conversation {
  id: string;
  /** In seconds since 1970. */
  created_at: number;
  metadata: Record<string, string>;
  /** The entries that hold its items, the oldest first: a chain, of which each names those before it. */
  entries: EntryFacts[];
  /** The space of all entries that were ever stored, in bytes. */
  stored: number;
}

/** The bytes and the number of the items of a conversation. */
export function sizeOf(entries: readonly EntryFacts[]): { bytes: number; items: number } {
  const sum = (of: (entry: EntryFacts) => number) => entries.reduce((all, entry) => all + of(entry), 0);
  return { bytes: sum(({ bytes }) => bytes), items: sum(({ items }) => items) };
}
