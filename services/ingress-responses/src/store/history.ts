import { GatewayError } from '@model-gateway/canonical';
import { invalid, readSummary, summaryPrefix } from '@model-gateway/formats/responses';
import { megabytes } from '@model-gateway/ingress';
import { parseExact } from '@model-gateway/json';
import type { Store } from './store.ts';
import type { StoredTurn } from './turn.ts';
import { isOver, itemsOf, joined, statusOf, type Turn } from './turn.ts';

/** The maximum number of earlier turns whose ids a turn stores. */
export const maxBefore = 32;
/**
 * The number of turns after which a turn stores the whole history, so that readers need not load each turn.
 */
export const snapshotEvery = 2 * maxBefore;
/** The bytes of turns beside their items after which a turn stores the whole history. */
const snapshotBytes = 8_000_000;

/** The conversation before a turn. */
export interface History {
  /** The items, joined by commas. */
  items: string;
  /** The ids of the turns that the next turn stores, the latest first. */
  before: string[];
  /**
   * True if the next turn must store the whole history: its first turns expire soon, or readers would load much else with it.
   */
  whole: boolean;
  /** True if some turns are in this process only. */
  local: boolean;
}

/** Turns that are stored only in this process, by response id. */
export type LocalTurns = Map<string, Turn>;

/**
 * Reads the history up to the response `id`.
 * @throws GatewayError if part of it does not exist, or if it is known to be too long before all of it is read
 */
export async function readHistory(
  store: Store,
  project: string,
  id: string,
  { local, most = Number.POSITIVE_INFINITY }: HistoryOptions = {},
): Promise<History> {
  const last = local?.get(id) ?? (await store.get(project, id));
  if (!last) throw (await store.lastEvents(project, id)) ? notEnded(id, 'in_progress') : notFound(id);
  if (last.meta.lost) throw lost(id);
  if (!isOver(last)) throw notEnded(id, statusOf(last));
  const { itemsBefore = 0 } = last.meta;
  if (itemsBefore > most && !last.input.includes(compactionMark)) throw tooLong(most);
  return historyUpTo(store, project, last, local);
}

interface HistoryOptions {
  local?: LocalTurns | undefined;
  /** The most bytes of a history that can be continued. */
  most?: number;
}

/** Reads the history up to and including a turn. @throws GatewayError if part of it does not exist */
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
  const lists: string[] = [];
  for (const turn of turns.toReversed()) {
    await store.turn(turn.base.length + turn.input.length + turn.response.length);
    lists.push(itemsOf(turn));
  }
  const items = joined(lists);
  const read = turns.reduce((sum, turn) => sum + ((turn as Partial<StoredTurn>).bytes ?? 0), 0);
  return {
    items,
    before: last.base === '' ? [id, ...last.meta.before].slice(0, maxBefore) : [id],
    whole:
      turns.length >= snapshotEvery ||
      (turns.length > 1 && read > 2 * items.length + snapshotBytes) ||
      store.isOld(oldest.meta.at),
    local: turns.some(turn => local.has(turn.meta.id)),
  };
}

/** @throws GatewayError if a tool output has no matching call */
export function checkOutputs(items: readonly Record<string, unknown>[]): void {
  const calls = new Set<unknown>();
  for (const { type, call_id: id } of items) {
    if (typeof type !== 'string' || id === undefined) continue;
    if (!type.endsWith('_call_output')) calls.add(id);
    else if (!calls.has(id))
      throw invalid('input', `No tool call found for function call output with call_id ${id}.`);
  }
}

/** The error of a conversation that holds more than `most` bytes. */
export function tooLong(most: number): GatewayError {
  return new GatewayError(
    'too-large',
    `The conversation is too long to be continued: with the request it would be larger than ${megabytes(most)}.`,
  );
}

function notFound(id: string): GatewayError {
  const message = `Previous response with id '${id}' not found.`;
  return invalid('previous_response_id', message, 'previous_response_not_found');
}

function lost(id: string): GatewayError {
  const message = `Previous response with id '${id}' failed because its gateway process was lost: resend the whole conversation.`;
  return invalid('previous_response_id', message, 'previous_response_not_found');
}

function notEnded(id: string, status: string): GatewayError {
  const message = `Previous response with id '${id}' is ${status}: it can be continued after it ends.`;
  return invalid('previous_response_id', message, 'previous_response_not_completed');
}

/** Replaces the gateway's summaries by user messages. Items are joined by commas; others stay unchanged. */
export function withSummaries(items: string): string {
  if (!items.includes(`"${summaryPrefix}`)) return items;
  return writeItems(readItems(items).map(decodeSummary));
}

/** The item by which a client requests a summary of all items before it. */
const compactionMark = '"compaction_trigger"';

/** Drops the items before the last summary that the client requested. */
export function sinceCompaction(items: string): string {
  if (!items.includes(compactionMark)) return withSummaries(items);
  const read = readItems(items);
  const trigger = read.findLastIndex(
    ({ type }, i) => type === 'compaction_trigger' && read[i + 1]?.type === 'compaction',
  );
  return withSummaries(writeItems(read.slice(trigger + 1)));
}

function decodeSummary(item: Item): Item {
  const { type, encrypted_content: blob } = item;
  const text = type === 'compaction' ? readSummary(blob) : undefined;
  if (text === undefined) return item;
  const content = [{ type: 'input_text', text: `The conversation so far, in a summary:\n\n${text}` }];
  return { type: 'message', role: 'user', content };
}

/** An item of a conversation as the client sent it. Its numbers keep their spelling. */
export type Item = Record<string, unknown>;

/** Parses items that are joined by commas. */
export function readItems(items: string): Item[] {
  return parseExact(`[${items}]`) as Item[];
}

export function writeItems(items: readonly Item[]): string {
  return items.map(item => JSON.stringify(item)).join(',');
}
