import { GatewayError } from '@model-gateway/canonical';

/** A part of a list: so many entries after one of them, or before it. */
export interface Page {
  size: number;
  after?: string | undefined;
  before?: string | undefined;
}

/** A page as the messages format asks for it. @throws GatewayError of kind `invalid-request` */
export function messagesPage(query: URLSearchParams): Page {
  return {
    size: sizeOf(query, 'limit', 20),
    after: query.get('after_id') || undefined,
    before: query.get('before_id') || undefined,
  };
}

/** A page as the generate-content format asks for it: a larger one than the largest is the largest. @throws GatewayError */
export function googlePage(query: URLSearchParams): Page {
  const token = query.get('pageToken');
  const after = token ? Buffer.from(token, 'base64url').toString() : undefined;
  return { size: sizeOf(query, 'pageSize', 50), after };
}

function sizeOf(query: URLSearchParams, name: string, usual: number): number {
  const text = query.get(name);
  // As an unset field of the generate-content format, 0 means the usual size.
  if (!text || text === '0') return usual;
  const size = Number(text);
  if (Number.isInteger(size) && size >= 1) return Math.min(size, 1_000);
  throw new GatewayError('invalid-request', `${name}: Input should be an integer from 1 to 1000`, {
    param: name,
  });
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
