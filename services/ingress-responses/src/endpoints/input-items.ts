import type { ResourceEndpoint } from '@model-gateway/ingress';
import { responsesFormat } from '../format/format.ts';
import { withoutPrefix } from '../format/ids.ts';
import { invalid } from '../format/invalid.ts';
import { unknownItem } from '../store/conversations.ts';
import { type Item, named, readItems, typeOf } from '../store/items.ts';
import type { Store } from '../store/store.ts';
import { idOf } from './parse-lookup.ts';
import { unknownResponse } from './render-events.ts';
import { sendText } from './retrieve.ts';

/** `GET /v1/responses/<id>/input_items`: lists the input items of a stored response. */
export function inputItems(store: Store): ResourceEndpoint {
  return {
    format: responsesFormat.format,
    renderError: responsesFormat.renderError,
    method: 'GET',
    path: '/v1/responses/{id}/input_items',
    pattern: /^\/v1\/responses\/[^/]+\/input_items$/,
    async answer({ token, url }, sink) {
      const page = parsePage(url);
      const turn = await store.get(token.project, page.id);
      if (!turn || turn.meta.lost) throw unknownResponse(page.id);
      sendText(sink, renderPage(named(readItems(turn.input), withoutPrefix(page.id)), page));
    },
  };
}

/** The maximum number of items of a page. */
export const largestPage = 100;

/** The page of a list that a client requested. */
export interface Page {
  /** The id of the response. */
  id: string;
  limit: number;
  order: 'asc' | 'desc';
  /** The id of the item before the page. */
  after?: string;
}

/** @throws GatewayError of kind `invalid-request` */
export function parsePage(url: string): Page {
  const { pathname, searchParams: query } = new URL(url, 'http://gateway');
  const limit = query.get('limit') ?? '20';
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > largestPage)
    throw invalid('limit', `Invalid 'limit': expected an integer from 1 to ${largestPage}.`);
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc')
    throw invalid('order', "Invalid value for 'order': expected one of 'asc', 'desc'.");
  const after = query.get('after');
  return { id: idOf(pathname), limit: Number(limit), order, ...(after && { after }) };
}

/** Renders the item with the id `wanted` as JSON. @throws GatewayError if no item has that id */
export function renderItem(items: readonly Item[], wanted: string): string {
  const found = items.find(item => item.id === wanted);
  if (!found) throw unknownItem(wanted);
  return JSON.stringify(listed(found));
}

/**
 * Renders one page of items, all of which have ids, as JSON.
 * @throws GatewayError if no item has the id `after`
 */
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

/** Completes an item for a list: adds its type, and turns a message's text into a part. */
function listed(item: Item): Item {
  const type = typeOf(item);
  if (type !== 'message') return { ...item, type };
  const kind = item.role === 'assistant' ? 'output_text' : 'input_text';
  const about = kind === 'output_text' ? { annotations: [] } : {};
  const text = item.content;
  const content = typeof text === 'string' ? [{ type: kind, text, ...about }] : text;
  return { status: 'completed', ...item, type, content };
}
