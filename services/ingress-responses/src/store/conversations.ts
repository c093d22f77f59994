import { randomBytes } from 'node:crypto';
import { GatewayError } from '@model-gateway/canonical';
import { withoutPrefix } from '@model-gateway/formats/responses';
import { megabytes } from '@model-gateway/ingress';
import { requestBounds } from '@model-gateway/json';
import { RevisionConflictError, storedSize } from '@model-gateway/store';
import type { ItemList } from '../items/item-list.ts';
import type { ItemSource } from '../items/item-page.ts';
import { type ItemText, joinItems, named, splitItems } from '../items/item-text.ts';
import { type Conversation, type EntryFacts, sizeOf } from './conversation-record.ts';
import { type History, historyUpTo, maxBefore, snapshotEvery } from './history.ts';
import type { Store } from './store.ts';
import { joined, outputOf, type Turn } from './turn.ts';

/** The maximum number of retries after a revision conflict. */
const maxTries = 50;
/** The part of an entry's time to live after which a change of the metadata stores the items again. */
const metadataPart = 1 / 24;

/** Reads a conversation without its items. @throws GatewayError if it does not exist */
export async function readConversation(
  store: Store,
  project: string,
  id: string,
): Promise<{ conversation: Conversation; revision: number }> {
  const found = await store.getConversation(project, id);
  if (!found) throw unknownConversation(id);
  return found;
}

/** Reads the items of a conversation; undefined if it is empty. @throws GatewayError if some do not exist */
export async function readConversationItems(
  store: Store,
  project: string,
  { id, entries }: Conversation,
): Promise<History | undefined> {
  const last = entries.at(-1);
  if (!last) return undefined;
  const entry = await store.getEntry(project, last.id);
  if (!entry) throw unknownConversation(id);
  return historyUpTo(store, project, entry);
}

/** Items that are added to a conversation. */
interface Added {
  items: string;
  /** The name of the ids that items without one get: 24 hexadecimal digits. */
  name?: string;
  /** The most bytes that the conversation may then hold. */
  most?: number;
}

/**
 * Appends items to a conversation and returns them with their ids. Concurrent writers append one after the
 * other.
 * @throws GatewayError of kind `too-large` if the conversation would hold too much
 */
export async function addItems(
  store: Store,
  project: string,
  id: string,
  { items, name = randomBytes(12).toString('hex'), most }: Added,
): Promise<ItemText[]> {
  const added = splitItems(items).map((item, place) => named(item, name, place));
  const input = joinItems(added);
  await store.turn(input.length);
  const bytes = Buffer.byteLength(input);
  await change(store, project, id, async conversation => {
    const { entries } = conversation;
    if (most !== undefined) assertRoom(sizeOf(entries), { bytes, items: added.length }, most);
    const [oldest] = entries;
    if (entries.length < snapshotEvery && !(oldest && store.isOld(oldest.at))) {
      const before = entries.slice(-maxBefore).map(({ id }) => id);
      const entry = { name, before: before.reverse(), base: '', input, items: added.length };
      return putEntry(store, project, conversation, entry, entries);
    }
    const history = await readConversationItems(store, project, conversation);
    const base = history?.items ?? '';
    const before = history?.before ?? [];
    const count = splitItems(base).length + added.length;
    return putEntry(store, project, conversation, { name, before, base, input, items: count });
  });
  return added;
}

/** Adds a turn to its conversation, if it has one. Ignores a conversation that was deleted meanwhile. */
export async function addToConversation(store: Store, project: string, turn: Turn): Promise<void> {
  const { id, conversation } = turn.meta;
  if (conversation === undefined) return;
  const items = joined([turn.input, outputOf(turn)]);
  const name = withoutPrefix(id);
  await addItems(store, project, conversation, { items, name }).catch(error => {
    if (!(error instanceof GatewayError && error.kind === 'not-found')) throw error;
  });
}

/** Removes one item from a conversation. @throws GatewayError if the item does not exist */
export function removeItem(store: Store, project: string, id: string, itemId: string): Promise<Conversation> {
  return change(store, project, id, async conversation => {
    const history = await readConversationItems(store, project, conversation);
    const items = splitItems(history?.items ?? '');
    const left = items.filter(item => item.id !== itemId);
    if (left.length === items.length) throw unknownItem(itemId);
    return putAll(store, project, conversation, left);
  });
}

/** Sets a conversation's metadata. Items that are not new are stored again, so that they expire with the conversation. */
export function setMetadata(
  store: Store,
  project: string,
  id: string,
  metadata: Record<string, string>,
): Promise<Conversation> {
  return change(store, project, id, async found => {
    const conversation = { ...found, metadata };
    if (!found.entries.some(({ at }) => store.isOld(at, metadataPart))) return conversation;
    const history = await readConversationItems(store, project, found);
    return putAll(store, project, conversation, splitItems(history?.items ?? ''));
  });
}

/** Changes a conversation after the other changes in this process, and retries if another process changed it meanwhile. */
function change(
  store: Store,
  project: string,
  id: string,
  make: (current: Conversation) => Promise<Conversation>,
): Promise<Conversation> {
  return store.changes.run(`${project}/${id}`, () => changeAlone(store, project, id, make));
}

async function changeAlone(
  store: Store,
  project: string,
  id: string,
  make: (current: Conversation) => Promise<Conversation>,
): Promise<Conversation> {
  for (let tries = 0; ; tries++) {
    const current = await readConversation(store, project, id);
    const conversation = await make(current.conversation);
    try {
      await store.putConversation(project, conversation, current.revision);
      return conversation;
    } catch (error) {
      if (!(error instanceof RevisionConflictError) || tries === maxTries) throw error;
    }
  }
}

/** Stores all items of a conversation in one entry, and returns the changed conversation. */
async function putAll(
  store: Store,
  project: string,
  conversation: Conversation,
  items: readonly ItemText[],
): Promise<Conversation> {
  if (items.length === 0) return { ...conversation, entries: [] };
  const entry = { before: [], base: joinItems(items), input: '', items: items.length };
  return putEntry(store, project, conversation, entry);
}

interface Entry {
  /** The name of its items. */
  name?: string;
  before: string[];
  base: string;
  input: string;
  /** The number of its items. */
  items: number;
}

/** Stores an entry, and returns the conversation that ends with it after `earlier` ones. */
async function putEntry(
  store: Store,
  project: string,
  conversation: Conversation,
  { name, before, base, input, items }: Entry,
  earlier: readonly EntryFacts[] = [],
): Promise<Conversation> {
  const id = entryId(conversation.id, name ?? randomBytes(12).toString('hex'));
  const at = store.clock.now();
  const bytes = Buffer.byteLength(base) + Buffer.byteLength(input);
  await store.put(project, { meta: { id, at, before, stream: false }, base, input, response: noOutput });
  const entries = [...earlier, { id, at, bytes, items }];
  return { ...conversation, entries, stored: conversation.stored + storedSize(bytes) };
}

/** Returns the id of the entry in which items with ids of a name were added. */
function entryId(conversation: string, name: string): string {
  return `${conversation}.${name}`;
}

/** The response of an entry, which holds all its items as input. */
const noOutput = '{"status":"completed","output":[]}';

/** The most items of a conversation: as many as a request may hold. */
export const mostItems = requestBounds.items;

/** @throws GatewayError if a conversation would hold more than `most` bytes, or too many items */
function assertRoom(
  held: { bytes: number; items: number },
  added: { bytes: number; items: number },
  most: number,
): void {
  if (held.bytes + added.bytes > most)
    throw full(`be larger than ${megabytes(most)}, which is the most that a request may hold`);
  if (held.items + added.items > mostItems) throw full(`hold more than ${mostItems} items`);
}

function full(why: string): GatewayError {
  return new GatewayError('too-large', `With these items, the conversation would ${why}.`, {
    param: 'items',
  });
}

function unknownConversation(id: string): GatewayError {
  const message = `Conversation with id '${id.slice(0, 200)}' not found.`;
  return new GatewayError('not-found', message, { param: 'conversation' });
}

export function unknownItem(id: string): GatewayError {
  return new GatewayError('not-found', `Item with id '${id.slice(0, 200)}' not found.`);
}

/** Returns the id in a request's `conversation`, if it has one. */
export function conversationId(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const id = (value as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' ? id : undefined;
}

/** Returns the items of a conversation, of which only those that are asked for are read. @throws GatewayError if it does not exist */
export async function conversationItems(store: Store, project: string, id: string): Promise<ItemSource> {
  const { conversation } = await readConversation(store, project, id);
  return new EntryItems(store, { project, conversation: id, entries: conversation.entries });
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
