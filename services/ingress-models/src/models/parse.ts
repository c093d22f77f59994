import { GatewayError } from '@model-gateway/canonical';

/** A page of a list: `size` entries after or before an entry. */
export interface Page {
  size: number;
  after?: string | undefined;
  before?: string | undefined;
}

/** Parses a page of the messages format. @throws GatewayError of kind `invalid-request` */
export function messagesPage(query: URLSearchParams): Page {
  const size = query.get('limit') ? sizeOf(query, 'limit') : 20;
  if (size < 1 || size > largest) throw invalidSize('limit', 1);
  const after = query.get('after_id') || undefined;
  const before = query.get('before_id') || undefined;
  if (after !== undefined && before !== undefined)
    throw invalid('before_id', 'before_id: only one of after_id and before_id can be set');
  return { size, after, before };
}

/**
 * Parses a page of the generate-content format. A size above {@link largest} is reduced to it.
 * @throws GatewayError
 */
export function generateContentPage(query: URLSearchParams): Page {
  const token = query.get('pageToken');
  const after = token ? Buffer.from(token, 'base64url').toString() : undefined;
  // In this format 0 means unset, which is the default size.
  return { size: Math.min(sizeOf(query, 'pageSize') || 50, largest), after };
}

/** The maximum number of entries of a page. */
export const largest = 1_000;

/** Parses the page size; 0 if it is absent. */
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

/**
 * Returns a page. `more` is true if entries follow in reading direction.
 * @throws GatewayError for an unknown entry
 */
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
  throw new GatewayError('invalid-request', 'The page starts at a model that is not in the list.');
}
