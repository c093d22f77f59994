import type { GatewayError } from '@model-gateway/canonical';
import { invalid } from '../format/invalid.ts';
import { type Item, readItems, writeItems } from './items.ts';
import type { Store } from './store.ts';
import { isOver, itemsOf, joined, statusOf, type Turn } from './turn.ts';

/** How many of the turns before it each one names. */
const named = 32;
/** After so many turns, one keeps all that was before it: who goes on need not read them one by one. */
const apart = 2 * named;

/** What a conversation holds so far. */
export interface History {
  /** Joined by commas. */
  items: string;
  /** The ids of its turns, as far back as the next one is to name them, the latest first. */
  before: string[];
  /** The next turn is to keep all of it: its first turns will soon be gone, or they are many. */
  whole: boolean;
  /** Some of it is kept in this process alone. */
  local: boolean;
}

/** Turns that are kept nowhere but in this process. */
export type LocalTurns = Map<string, Turn>;

/** What came before a turn that follows `id`. @throws GatewayError if any of it is not there */
export async function readHistory(
  store: Store,
  project: string,
  id: string,
  local: LocalTurns = new Map(),
): Promise<History> {
  const last = local.get(id) ?? (await store.get(project, id));
  if (!last) throw (await store.lastEvents(project, id)) ? notOver(id, 'in_progress') : notFound(id);
  if (last.meta.lost) throw lost(id);
  if (!isOver(last)) throw notOver(id, statusOf(last));
  return historyUpTo(store, project, last, local);
}

/** A turn, and what came before it. @throws GatewayError if any of it is not there */
export async function historyUpTo(
  store: Store,
  project: string,
  last: Turn,
  local: LocalTurns = new Map(),
): Promise<History> {
  const { id } = last.meta;
  const turns: Turn[] = [last];
  for (let oldest = last; oldest.base === '' && oldest.meta.before.length > 0; ) {
    const ids = oldest.meta.before;
    const stored = await store.getEarlier(
      project,
      ids.filter(id => !local.has(id)),
    );
    for (const id of ids) {
      const turn = local.get(id) ?? stored.find(turn => turn?.meta.id === id);
      if (!turn) throw notFound(id);
      turns.push(turn);
      if (turn.base !== '') break;
    }
    oldest = turns.at(-1) as Turn;
  }
  const oldest = turns.at(-1) as Turn;
  return {
    items: joined(turns.toReversed().map(itemsOf)),
    before: last.base === '' ? [id, ...last.meta.before].slice(0, named) : [id],
    whole: turns.length >= apart || store.isOld(oldest, Date.now()),
    local: turns.some(turn => local.has(turn.meta.id)),
  };
}

/** @throws GatewayError for a tool's output that answers no call */
export function checkOutputs(items: readonly Record<string, unknown>[]): void {
  const calls = new Set<unknown>();
  for (const { type, call_id: id } of items) {
    if (typeof type !== 'string' || id === undefined) continue;
    if (!type.endsWith('_call_output')) calls.add(id);
    else if (!calls.has(id))
      throw invalid('input', `No tool call found for function call output with call_id ${id}.`);
  }
}

function notFound(id: string): GatewayError {
  const message = `Previous response with id '${id}' not found.`;
  return invalid('previous_response_id', message, 'previous_response_not_found');
}

function lost(id: string): GatewayError {
  const message = `Previous response with id '${id}' was lost with what it answers: send the conversation anew.`;
  return invalid('previous_response_id', message, 'previous_response_not_found');
}

function notOver(id: string, status: string): GatewayError {
  const message = `Previous response with id '${id}' is ${status}: it can be continued once it is over.`;
  return invalid('previous_response_id', message, 'previous_response_not_completed');
}

/** Stands before a summary of ours: vendors' own are base64, which has no colon. */
const mark = 'gw:';

/** A summary as a client keeps it, who is not meant to read it. */
export function writeSummary(text: string): string {
  return mark + Buffer.from(text).toString('base64');
}

/** Items in which summaries of ours are what they say; joined by commas, as they came. */
export function withSummaries(items: string): string {
  if (!items.includes(`"${mark}`)) return items;
  return writeItems(readItems(items).map(spelledOut));
}

/** What is left of a history in which the client asked for a summary: that, and what came after. */
export function sinceCompaction(items: string): string {
  if (!items.includes('"compaction_trigger"')) return withSummaries(items);
  const read = readItems(items);
  const asked = read.findLastIndex(
    ({ type }, i) => type === 'compaction_trigger' && read[i + 1]?.type === 'compaction',
  );
  return withSummaries(writeItems(read.slice(asked + 1)));
}

function spelledOut(item: Item): Item {
  const { type, encrypted_content: blob } = item;
  if (type !== 'compaction' || typeof blob !== 'string' || !blob.startsWith(mark)) return item;
  const text = Buffer.from(blob.slice(mark.length), 'base64').toString();
  const content = [{ type: 'input_text', text: `The conversation so far, in a summary:\n\n${text}` }];
  return { type: 'message', role: 'user', content };
}
