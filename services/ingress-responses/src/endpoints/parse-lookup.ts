import { invalid } from '@model-gateway/formats/responses';
import { largestPage, type Page } from '../items/item-page.ts';

/** A parsed request for a stored response. */
interface Lookup {
  id: string;
  /** Set if the client requested a stream: of the events with a sequence number above `after`. */
  events?: { after: number };
}

/** @throws GatewayError of kind `invalid-request` */
export function parseLookup(url: string): Lookup {
  const { pathname, searchParams: query } = new URL(url, 'http://gateway');
  const id = idOf(pathname);
  if (query.get('stream') !== 'true') return { id };
  const after = query.get('starting_after') ?? '';
  if (after === '') return { id, events: { after: -1 } };
  if (!/^\d{1,15}$/.test(after))
    throw invalid(
      'starting_after',
      `Invalid 'starting_after': '${after.slice(0, 40)}' is not a sequence number.`,
    );
  return { id, events: { after: Number(after) } };
}

/** Parses the id in `/v1/responses/<id>`, which further path segments may follow. */
export function idOf(pathname: string): string {
  const [, id = ''] = /^\/v1\/responses\/([^/]+)/.exec(pathname) ?? [];
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** Parses the page of a list that a client requested, and the id of the response. @throws GatewayError of kind `invalid-request` */
export function parsePage(url: string): Page & { id: string } {
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
