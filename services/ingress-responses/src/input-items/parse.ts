import { invalid } from '../invalid.ts';
import { idOf } from '../retrieve/parse.ts';

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
