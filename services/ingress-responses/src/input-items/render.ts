import { invalid } from '../invalid.ts';
import { unknownItem } from '../stored/conversations.ts';
import { type Item, typeOf } from '../stored/item.ts';
import type { Page } from './parse.ts';

/** One of some items, as JSON. @throws GatewayError if there is none of that id */
export function renderItem(items: readonly Item[], wanted: string): string {
  const found = items.find(item => item.id === wanted);
  if (!found) throw unknownItem(wanted);
  return JSON.stringify(listed(found));
}

/** One page of items that have ids, as JSON. @throws GatewayError if there is no item to go on from */
export function renderPage(all: readonly Item[], { limit, order, after }: Omit<Page, 'id'>): string {
  const items = order === 'desc' ? all.toReversed() : all;
  const from = after === undefined ? 0 : items.findIndex(item => item.id === after) + 1;
  if (after !== undefined && from === 0)
    throw invalid('after', `Item with id '${after.slice(0, 200)}' not found.`);
  const data = items.slice(from, from + limit).map(listed);
  return JSON.stringify({
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + limit < items.length,
  });
}

/** An item as it is listed: it has a type, and a message's content is parts. */
function listed(item: Item): Item {
  const type = typeOf(item);
  if (type !== 'message') return { ...item, type };
  const kind = item.role === 'assistant' ? 'output_text' : 'input_text';
  const about = kind === 'output_text' ? { annotations: [] } : {};
  const text = item.content;
  const content = typeof text === 'string' ? [{ type: kind, text, ...about }] : text;
  return { status: 'completed', ...item, type, content };
}
