import { GatewayError } from '@model-gateway/canonical';

/** A part of a list: so many entries after one of them, or before it. */
export interface Page {
  size: number;
  after?: string | undefined;
  before?: string | undefined;
}

/** A page as the messages format asks for it. @throws GatewayError of kind `invalid-request` */
export function messagesPage(query: URLSearchParams): Page {
  const size = query.get('limit') ? sizeOf(query, 'limit') : 20;
  if (size < 1 || size > largest) throw invalidSize('limit', 1);
  const after = query.get('after_id') || undefined;
  const before = query.get('before_id') || undefined;
  if (after !== undefined && before !== undefined)
    throw invalid('before_id', 'before_id: a page is after one model or before one, not both');
  return { size, after, before };
}

/** A page as the generate-content format asks for it: a larger one than the largest is the largest. @throws GatewayError */
export function generateContentPage(query: URLSearchParams): Page {
  const token = query.get('pageToken');
  const after = token ? Buffer.from(token, 'base64url').toString() : undefined;
  // As any unset field of this format, 0 means the usual size.
  return { size: Math.min(sizeOf(query, 'pageSize') || 50, largest), after };
}

/** The most entries of a page. */
export const largest = 1_000;

/** 0 where it is not said. */
function sizeOf(query: URLSearchParams, name: string): number {
  const text = query.get(name) || '0';
  if (!/^\d+$/.test(text)) throw invalidSize(name, 0);
  return Number(text);
}

function invalidSize(name: string, least: number): GatewayError {
  return invalid(name, `${name}: Input should be an integer from ${least} to ${largest}`);
}

function invalid(param: string, message: string): GatewayError {
  return new GatewayError('invalid-request', message, { param });
}

/** What a page holds, and whether more lies beyond it in the direction of reading. @throws GatewayError for an unknown entry */
export function pageOf<T extends { name: string }>(
  all: readonly T[],
  page: Page,
): { items: T[]; more: boolean } {
  if (page.before !== undefined) {
    const end = placeOf(all, page.before);
    const start = Math.max(0, end - page.size);
    return { items: all.slice(start, end), more: start > 0 };
  }
  const start = page.after === undefined ? 0 : placeOf(all, page.after) + 1;
  return { items: all.slice(start, start + page.size), more: start + page.size < all.length };
}

function placeOf(all: readonly { name: string }[], name: string): number {
  const place = all.findIndex(item => item.name === name);
  if (place >= 0) return place;
  throw new GatewayError('invalid-request', 'The page begins at a model that is not in the list.');
}
