import { invalid } from '@model-gateway/formats/responses';
import { largestPage, type Page } from '../items/item-page.ts';
import { idOf } from './parse-lookup.ts';

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
