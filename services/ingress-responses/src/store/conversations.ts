import { randomBytes } from 'node:crypto';
import { GatewayError } from '@model-gateway/canonical';
import { RevisionConflictError } from '@model-gateway/store';
import { type History, historyUpTo } from './history.ts';
import { named, readItems, writeItems } from './items.ts';
import type { Conversation, Store } from './store.ts';
import { joined, outputOf, type Turn } from './turn.ts';

interface Read {
  conversation: Conversation;
  revision: number;
  /** Undefined for an empty conversation. Its items have ids. */
  history: History | undefined;
}

/** The maximum number of retries after a revision conflict. */
const maxTries = 50;

/** Reads a conversation. @throws GatewayError if it does not exist */
export async function readConversation(store: Store, project: string, id: string): Promise<Read> {
  const found = await store.getConversation(project, id);
  if (!found) throw unknownConversation(id);
  const { last } = found.conversation;
  if (last === null) return { ...found, history: undefined };
  const entry = await store.getEntry(project, last);
  if (!entry) throw unknownConversation(id);
  return { ...found, history: await historyUpTo(store, project, entry) };
}

/**
 * Appends items to a conversation and returns them with their ids. Concurrent writers append one after the
 * other.
 */
export async function addItems(store: Store, project: string, id: string, items: string): Promise<string> {
  const name = randomBytes(12).toString('hex');
  const input = writeItems(named(readItems(items), name));
  await change(store, project, id, async ({ conversation, history }) => {
    const base = history?.whole ? history.items : '';
    const last = await putEntry(store, project, id, { before: history?.before ?? [], base, input });
    return { ...conversation, last };
  });
  return input;
}

/** Adds a turn to its conversation, if it has one. Ignores a conversation that was deleted meanwhile. */
export async function addToConversation(store: Store, project: string, turn: Turn): Promise<void> {
  const { conversation } = turn.meta;
  if (conversation === undefined) return;
  const items = joined([turn.input, outputOf(turn)]);
  await addItems(store, project, conversation, items).catch(error => {
    if (!(error instanceof GatewayError && error.kind === 'not-found')) throw error;
  });
}

/** Removes one item from a conversation. @throws GatewayError if the item does not exist */
export function removeItem(store: Store, project: string, id: string, itemId: string): Promise<Conversation> {
  return change(store, project, id, async ({ conversation, history }) => {
    const items = readItems(history?.items ?? '');
    const left = items.filter(item => item.id !== itemId);
    if (left.length === items.length) throw unknownItem(itemId);
    return { ...conversation, last: await putAll(store, project, id, writeItems(left)) };
  });
}

/** Sets a conversation's metadata. The items are stored again, so that they expire with the conversation. */
export function setMetadata(
  store: Store,
  project: string,
  id: string,
  metadata: Record<string, string>,
): Promise<Conversation> {
  return change(store, project, id, async ({ conversation, history }) => ({
    ...conversation,
    metadata,
    last: await putAll(store, project, id, history?.items ?? ''),
  }));
}

/** Changes a conversation, and retries if another process changed it meanwhile. */
async function change(
  store: Store,
  project: string,
  id: string,
  make: (current: Read) => Promise<Conversation>,
): Promise<Conversation> {
  for (let tries = 0; ; tries++) {
    const current = await readConversation(store, project, id);
    const conversation = await make(current);
    try {
      await store.putConversation(project, conversation, current.revision);
      return conversation;
    } catch (error) {
      if (!(error instanceof RevisionConflictError) || tries === maxTries) throw error;
    }
  }
}

/** Stores all items in one entry and returns its id, or null if there are no items. */
async function putAll(store: Store, project: string, id: string, base: string): Promise<string | null> {
  return base === '' ? null : putEntry(store, project, id, { before: [], base, input: '' });
}

interface Entry {
  before: string[];
  base: string;
  input: string;
}

async function putEntry(
  store: Store,
  project: string,
  id: string,
  { before, base, input }: Entry,
): Promise<string> {
  const meta = {
    id: `${id}.${randomBytes(12).toString('hex')}`,
    at: store.clock.now(),
    before,
    stream: false,
  };
  await store.put(project, { meta, base, input, response: noOutput });
  return meta.id;
}

/** The response of an entry, which holds all its items as input. */
const noOutput = '{"status":"completed","output":[]}';

export function unknownConversation(id: string): GatewayError {
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
