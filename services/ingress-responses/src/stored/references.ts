import { memberText, parseExact } from '@model-gateway/canonical';
import { invalid } from '../invalid.ts';
import type { LocalTurns } from './history.ts';
import type { Store } from './store.ts';
import { inner, joined, type Turn } from './turn.ts';

type Item = Record<string, unknown>;

/** Items joined by commas, in which those that are named alone are the ones that are kept. @throws GatewayError */
export async function withReferences(
  store: Store,
  project: string,
  items: string,
  local: LocalTurns = new Map(),
): Promise<string> {
  const read = parseExact(`[${items}]`) as Item[];
  const found = read.map(async (item, i) => {
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
  return Array.isArray(input) && input.some(isReference);
}

function isReference({ type, role, id }: Item): boolean {
  return typeof id === 'string' && (type === 'item_reference' || (type == null && role == null));
}

/** The response that an item's id tells it is of, where the gateway made the item. */
export function responseOf(itemId: string): string | undefined {
  const made = /^[a-z]+_([0-9a-f]{24})_\d+$/.exec(itemId);
  return made ? `resp_${made[1]}` : undefined;
}

/** The ids of an output's items that do not tell whose they are. */
export function foreignItems(response: string): string[] {
  const output = JSON.parse(memberText(Buffer.from(response), 'output') ?? '[]') as Item[];
  return output.flatMap(({ id }) => (typeof id === 'string' && !responseOf(id) ? [id] : []));
}

async function turnOf(store: Store, project: string, id: string): Promise<Turn[]> {
  const response = responseOf(id) ?? (await store.responseOf(project, id));
  const turn = response === undefined ? undefined : await store.get(project, response);
  return turn ? [turn] : [];
}

function findIn(turns: readonly Turn[], id: string): string | undefined {
  for (const { input, response } of turns) {
    const output = inner(memberText(Buffer.from(response), 'output') ?? '[]');
    const all = parseExact(`[${joined([input, output])}]`) as Item[];
    const item = all.find(item => item.id === id);
    if (item) return JSON.stringify(item);
  }
  return undefined;
}
