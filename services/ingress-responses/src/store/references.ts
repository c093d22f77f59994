import { invalid, withoutPrefix } from '@model-gateway/formats/responses';
import { type ItemText, nameOf, splitItems } from '../items/item-text.ts';
import { type LocalTurns, tooLong } from './history.ts';
import type { Store } from './store.ts';
import { outputOf, type Turn } from './turn.ts';

/** The most references to items in one request. */
export const mostReferences = 100;

interface ReferenceOptions {
  local?: LocalTurns | undefined;
  /** The most bytes of the items that take the place of the references. */
  most: number;
}

/**
 * Replaces references by the stored items. Items are joined by commas. Each stored turn is read once, however many of its items
 * are named.
 * @throws GatewayError if one is not found, or there are too many
 */
export async function withReferences(
  store: Store,
  project: string,
  items: string,
  { local, most }: ReferenceOptions,
): Promise<string> {
  const all = splitItems(items);
  const ids = new Set(all.flatMap(item => (isReference(item) ? [item.id] : [])));
  if (all.filter(isReference).length > mostReferences) throw tooMany();
  const found = await findAll(store, project, ids, local);
  let bytes = 0;
  const texts = all.map((item, i) => {
    if (!isReference(item)) return item.text;
    const stored = found.get(item.id);
    if (stored === undefined) {
      const message = `Item with id '${item.id.slice(0, 200)}' not found. Items are stored with their response.`;
      throw invalid(`input[${i}].id`, message);
    }
    bytes += stored.length;
    if (bytes > most) throw tooLong(most);
    return stored;
  });
  return texts.join(',');
}

/** True if the input contains references to items. */
export function hasReferences(input: unknown): boolean {
  return (
    Array.isArray(input) &&
    input.some(
      item =>
        item !== null &&
        typeof item.id === 'string' &&
        (item.type === 'item_reference' || (item.type == null && item.role == null)),
    )
  );
}

function isReference(item: ItemText): item is ItemText & { id: string } {
  return item.id !== undefined && item.type === 'item_reference';
}

function tooMany() {
  const message = `Invalid 'input': it holds more than ${mostReferences} references to items, which is the most of one request.`;
  return invalid('input', message, 'array_above_max_length');
}

/** Returns the response id that is contained in the id of an item that the gateway made. */
export function responseOf(itemId: string): string | undefined {
  const made = /^[a-z]+_([0-9a-f]{24})_(?:in)?\d+$/.exec(itemId);
  return made ? `resp_${made[1]}` : undefined;
}

/** Returns the ids of output items that do not contain a response id. */
export function foreignItems(response: string): string[] {
  return splitItems(outputOf({ response })).flatMap(({ id }) =>
    id !== undefined && !responseOf(id) ? [id] : [],
  );
}

/** Finds items by their ids: first in the turns of this process, then in the stored ones. */
async function findAll(
  store: Store,
  project: string,
  ids: ReadonlySet<string>,
  local: LocalTurns = new Map(),
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const turn of local.values()) await addFound(store, turn, ids, found);
  const byResponse = new Map<string, Set<string>>();
  for (const id of ids) {
    if (found.has(id)) continue;
    const response = responseOf(id) ?? (await store.responseOf(project, id));
    if (response === undefined) continue;
    const named = byResponse.get(response) ?? new Set<string>();
    byResponse.set(response, named.add(id));
  }
  for (const [response, named] of byResponse) {
    const turn = await store.get(project, response);
    if (turn) await addFound(store, turn, named, found);
  }
  return found;
}

/** Adds the items of a turn that have one of the ids to `found`, unless it has them. */
async function addFound(
  store: Store,
  turn: Turn,
  ids: ReadonlySet<string>,
  found: Map<string, string>,
): Promise<void> {
  await store.turn(turn.input.length + turn.response.length);
  const name = withoutPrefix(turn.meta.id);
  const add = (id: string, text: string) => {
    if (ids.has(id) && !found.has(id)) found.set(id, text);
  };
  for (const [place, item] of splitItems(turn.input).entries()) add(nameOf(item, name, place), item.text);
  for (const { id, text } of splitItems(outputOf(turn))) if (id !== undefined) add(id, text);
}
