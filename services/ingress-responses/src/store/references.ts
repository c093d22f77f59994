import { bare } from '../format/ids.ts';
import { invalid } from '../format/invalid.ts';
import type { LocalTurns } from './history.ts';
import { type Item, named, readItems, unnamed } from './items.ts';
import type { Store } from './store.ts';
import { outputOf, type Turn } from './turn.ts';

/** Items joined by commas, in which those that are named alone are the ones that are kept. @throws GatewayError */
export async function withReferences(
  store: Store,
  project: string,
  items: string,
  local: LocalTurns = new Map(),
): Promise<string> {
  const found = readItems(items).map(async (item, i) => {
    if (!isReference(item)) return JSON.stringify(item);
    const id = String(item.id);
    const kept = findIn([...local.values()], id) ?? findIn(await turnOf(store, project, id), id);
    if (kept) return kept;
    const message = `Item with id '${id.slice(0, 200)}' not found. Items are kept with the response that they are of.`;
    throw invalid(`input[${i}].id`, message);
  });
  return (await Promise.all(found)).join(',');
}

/** Whether a request names items instead of sending them. */
export function hasReferences(input: unknown): boolean {
  return Array.isArray(input) && input.some(item => item !== null && isReference(item));
}

function isReference({ type, role, id }: Item): boolean {
  return typeof id === 'string' && (type === 'item_reference' || (type == null && role == null));
}

/** The response that an item's id tells it is of, where the gateway made the item. */
export function responseOf(itemId: string): string | undefined {
  const made = /^[a-z]+_([0-9a-f]{24})_(?:in)?\d+$/.exec(itemId);
  return made ? `resp_${made[1]}` : undefined;
}

/** The ids of an output's items that do not tell whose they are. */
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
    const came = named(readItems(turn.input), bare(turn.meta.id));
    const item = [...came, ...readItems(outputOf(turn))].find(item => item.id === id);
    if (item) return unnamed(JSON.stringify(item));
  }
  return undefined;
}
