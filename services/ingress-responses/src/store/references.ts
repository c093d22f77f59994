import { withoutPrefix } from '../format/ids.ts';
import { invalid } from '../format/invalid.ts';
import type { LocalTurns } from './history.ts';
import { type Item, named, readItems, unnamed } from './items.ts';
import type { Store } from './store.ts';
import { outputOf, type Turn } from './turn.ts';

/**
 * Replaces references by the stored items. Items are joined by commas.
 * @throws GatewayError if one is not found
 */
export async function withReferences(
  store: Store,
  project: string,
  items: string,
  local: LocalTurns = new Map(),
): Promise<string> {
  const found = readItems(items).map(async (item, i) => {
    if (!isReference(item)) return JSON.stringify(item);
    const id = String(item.id);
    const stored = findIn([...local.values()], id) ?? findIn(await turnOf(store, project, id), id);
    if (stored) return stored;
    const message = `Item with id '${id.slice(0, 200)}' not found. Items are stored with their response.`;
    throw invalid(`input[${i}].id`, message);
  });
  return (await Promise.all(found)).join(',');
}

/** True if the input contains references to items. */
export function hasReferences(input: unknown): boolean {
  return Array.isArray(input) && input.some(item => item !== null && isReference(item));
}

function isReference({ type, role, id }: Item): boolean {
  return typeof id === 'string' && (type === 'item_reference' || (type == null && role == null));
}

/** Returns the response id that is contained in the id of an item that the gateway made. */
export function responseOf(itemId: string): string | undefined {
  const made = /^[a-z]+_([0-9a-f]{24})_(?:in)?\d+$/.exec(itemId);
  return made ? `resp_${made[1]}` : undefined;
}

/** Returns the ids of output items that do not contain a response id. */
export function foreignItems(response: string): string[] {
  return readItems(outputOf({ response })).flatMap(({ id }) =>
    typeof id === 'string' && !responseOf(id) ? [id] : [],
  );
}

async function turnOf(store: Store, project: string, id: string): Promise<Turn[]> {
  const response = responseOf(id) ?? (await store.responseOf(project, id));
  const turn = response === undefined ? undefined : await store.get(project, response);
  return turn ? [turn] : [];
}

function findIn(turns: readonly Turn[], id: string): string | undefined {
  for (const turn of turns) {
    const input = named(readItems(turn.input), withoutPrefix(turn.meta.id));
    const item = [...input, ...readItems(outputOf(turn))].find(item => item.id === id);
    if (item) return unnamed(JSON.stringify(item));
  }
  return undefined;
}
