import { randomBytes } from 'node:crypto';
import { RevisionConflictError } from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';
import { type History, historyUpTo } from './history.ts';
import { named, readItems, writeItems } from './items.ts';
import type { Store } from './store.ts';
import { joined, outputOf, type Turn } from './turn.ts';

/** A conversation: who it is of is in its key, what was said in the entries that lead back from the last one. */
export interface Conversation {
  id: string;
  created_at: number;
  metadata: Record<string, string>;
  /** The id of its last entry. */
  last: string | null;
}

interface Read {
  conversation: Conversation;
  revision: number;
  /** Absent while nothing was said. Its items have ids. */
  history: History | undefined;
}

const maxTries = 50;

/** What a conversation holds. @throws GatewayError if there is none */
export async function readConversation(store: Store, project: string, id: string): Promise<Read> {
  const found = await store.getConversation(project, id);
  if (!found) throw unknownConversation(id);
  const { last } = found.conversation;
  if (last === null) return { ...found, history: undefined };
  const entry = await store.getEntry(project, last);
  if (!entry) throw unknownConversation(id);
  return { ...found, history: await historyUpTo(store, project, entry) };
}

/** Adds items to the end of a conversation, and returns them with their ids; who comes second stands after who came first. */
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

/** Adds a turn to the conversation that it is of; one that was deleted meanwhile misses nothing. */
export async function addToConversation(store: Store, project: string, turn: Turn): Promise<void> {
  const { conversation } = turn.meta;
  if (conversation === undefined) return;
  const items = joined([turn.input, outputOf(turn)]);
  await addItems(store, project, conversation, items).catch(error => {
    if (!(error instanceof GatewayError && error.kind === 'not-found')) throw error;
  });
}

/** Takes one item out of a conversation. @throws GatewayError if it is not there */
export function removeItem(store: Store, project: string, id: string, itemId: string): Promise<Conversation> {
  return change(store, project, id, async ({ conversation, history }) => {
    const items = readItems(history?.items ?? '');
    const left = items.filter(item => item.id !== itemId);
    if (left.length === items.length) throw unknownItem(itemId);
    return { ...conversation, last: await putAll(store, project, id, writeItems(left)) };
  });
}

/** Changes a conversation's metadata; its items live on with it. */
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

/** Writes a conversation as it is to be, again and again until nobody else wrote it meanwhile. */
async function change(
  store: Store,
  project: string,
  id: string,
  make: (now: Read) => Promise<Conversation>,
): Promise<Conversation> {
  for (let tries = 0; ; tries++) {
    const now = await readConversation(store, project, id);
    const conversation = await make(now);
    try {
      await store.putConversation(project, conversation, now.revision);
      return conversation;
    } catch (error) {
      if (!(error instanceof RevisionConflictError) || tries === maxTries) throw error;
    }
  }
}

/** Keeps all items in one entry, and returns its id; null where there are none. */
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
    at: Date.now(),
    before,
    stream: false,
  };
  await store.put(project, { meta, base, input, response: said });
  return meta.id;
}

/** Entries hold what was said by either side as items, and no response. */
const said = '{"status":"completed","output":[]}';

export function unknownConversation(id: string): GatewayError {
  const message = `Conversation with id '${id.slice(0, 200)}' not found.`;
  return new GatewayError('not-found', message, { param: 'conversation' });
}

export function unknownItem(id: string): GatewayError {
  return new GatewayError('not-found', `Item with id '${id.slice(0, 200)}' not found.`);
}

/** The id in a request's `conversation`; undefined where there is none. */
export function conversationId(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  const id = (given as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' ? id : undefined;
}
