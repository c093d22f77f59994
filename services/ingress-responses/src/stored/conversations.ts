import { randomUUID } from 'node:crypto';
import { Overtaken } from '@model-gateway/bus';
import { GatewayError, memberText } from '@model-gateway/canonical';
import { type History, readHistory } from './history.ts';
import type { Store } from './store.ts';
import type { Turn } from './turn.ts';

/** A conversation: who it is of is in its key, what was said in the entries that lead back from the last one. */
export interface Conversation {
  id: string;
  created_at: number;
  metadata: Record<string, string>;
  /** The id of its last entry. */
  last: string | null;
}

const maxTries = 50;

/** What a conversation holds. @throws GatewayError if there is none */
export async function readConversation(
  store: Store,
  project: string,
  id: string,
): Promise<{ conversation: Conversation; revision: number; history: History | undefined }> {
  const found = await store.getConversation(project, id);
  if (!found) throw unknownConversation(id);
  const { last } = found.conversation;
  const history = last === null ? undefined : await readHistory(store, project, last);
  return { ...found, history };
}

/** Adds to the end of a conversation; who comes second is written after who came first. */
export async function addEntry(
  store: Store,
  project: string,
  id: string,
  { input, response }: Pick<Turn, 'input' | 'response'>,
): Promise<void> {
  for (let tries = 0; ; tries++) {
    const { conversation, revision, history } = await readConversation(store, project, id);
    const meta = {
      id: `entry_${randomUUID()}`,
      at: Date.now(),
      before: history?.before ?? [],
      stream: false,
    };
    await store.put(project, {
      meta,
      base: history?.whole ? history.items : '',
      input,
      response: entryOf(response),
    });
    try {
      await store.putConversation(project, { ...conversation, last: meta.id }, revision);
      return;
    } catch (error) {
      if (!(error instanceof Overtaken) || tries === maxTries) throw error;
    }
  }
}

/** Of a response, what a conversation keeps; it outlives the response. */
function entryOf(response: string): string {
  const output = memberText(Buffer.from(response), 'output') ?? '[]';
  return `{"status":"completed","output":${output}}`;
}

export function unknownConversation(id: string): GatewayError {
  const message = `Conversation with id '${id.slice(0, 200)}' not found.`;
  return new GatewayError('not-found', message, { param: 'conversation' });
}

/** The id in a request's `conversation`; undefined where there is none. */
export function conversationId(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  const id = (given as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' ? id : undefined;
}
