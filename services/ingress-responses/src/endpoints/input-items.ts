import type { ResourceEndpoint } from '@model-gateway/ingress';
import { responsesFormat } from '../format/format.ts';
import { bare } from '../format/ids.ts';
import { invalid } from '../format/invalid.ts';
import { unknownItem } from '../store/conversations.ts';
import { type Item, named, readItems, typeOf } from '../store/items.ts';
import type { Store } from '../store/store.ts';
import { idOf } from './parse-lookup.ts';
import { unknownResponse } from './render-events.ts';
import { sendText } from './retrieve.ts';

/** `GET /v1/responses/<id>/input_items`: what came with the request of a response that is kept. */
export function inputItems(store: Store): ResourceEndpoint {
  return {
    renderError: responsesFormat.renderError,
    method: 'GET',
    path: '/v1/responses/{id}/input_items',
    pattern: /^\/v1\/responses\/[^/]+\/input_items$/,
    async answer({ token, url }, outlet) {
      const page = parsePage(url);
      const turn = await store.get(token.project, page.id);
      if (!turn || turn.meta.lost) throw unknownResponse(page.id);
      sendText(outlet, renderPage(named(readItems(turn.input), bare(page.id)), page));
    },
  };
}

/** The most items of a page. */
export const largestPage = 100;

/** Which part of a list is asked for. */
export interface Page {
  /** Of the response. */
  id: string;
  limit: number;
  order: 'asc' | 'desc';
  /** The id of the item before the first. */
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
