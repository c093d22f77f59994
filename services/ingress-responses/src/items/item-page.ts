import { invalid } from '@model-gateway/formats/responses';
import { type ItemText, listedItem } from './item-text.ts';

/** The maximum number of items of a page. */
export const largestPage = 100;

/** The page of a list that a client requested. */
export interface Page {
  limit: number;
  order: 'asc' | 'desc';
  /** The id of the item before the page. */
  after?: string;
}

/** Items that are read when they are needed. All have ids. */
export interface ItemSource {
  count: number;
  /** Reads the items from `from` up to `to`. */
  read(from: number, to: number): Promise<ItemText[]>;
  /** Finds the place of the item with an id; undefined if there is none. */
  find(id: string): Promise<number | undefined>;
}

/** Resolves when the next step over so many bytes may run. */
type NextStep = (bytes: number) => Promise<void>;

/**
 * Renders one page of items as JSON. Reads only these items.
 * @throws GatewayError if no item has the id `after`
 */
export async function renderPage(
  source: ItemSource,
  { limit, order, after }: Page,
  next: NextStep,
): Promise<string> {
  const { count } = source;
  const before = after === undefined ? undefined : await source.find(after);
  if (after !== undefined && before === undefined)
    throw invalid('after', `Item with id '${after.slice(0, 200)}' not found.`);
  const items =
    order === 'asc'
      ? await read(source, before === undefined ? 0 : before + 1, limit)
      : (await read(source, (before ?? count) - limit, limit)).reverse();
  const passed = before === undefined ? 0 : order === 'asc' ? before + 1 : count - before;
  return renderItems(items, passed + items.length < count, next);
}

/** Renders items as a page, each in its own step. */
export async function renderItems(
  items: readonly ItemText[],
  hasMore: boolean,
  next: NextStep,
): Promise<string> {
  const ids = [items[0], items.at(-1)].map(item => JSON.stringify(item?.id ?? null));
  const data: string[] = [];
  for (const item of items) {
    await next(item.text.length);
    data.push(listedItem(item));
  }
  return `{"object":"list","data":[${data.join(',')}],"first_id":${ids[0]},"last_id":${ids[1]},"has_more":${hasMore}}`;
}

/** Reads up to `limit` items from a place, which may be before the first item. */
async function read(source: ItemSource, place: number, limit: number): Promise<ItemText[]> {
  const from = Math.max(0, place);
  const to = Math.min(source.count, place + limit);
  return from < to ? source.read(from, to) : [];
}
