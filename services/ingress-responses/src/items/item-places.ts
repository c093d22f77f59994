import { listSpans, topLevelSpans } from '@model-gateway/json';

/** The place of an item in its section, in bytes, and its id, which is cut to {@link idCharacters}; null for none. */
export type ItemPlace = readonly [from: number, to: number, id: string | null];

/** The characters of an id that its place holds: ids that the gateway makes are shorter. */
const idCharacters = 64;

/** Finds the items in a list that is joined by commas. */
export function itemPlaces(items: Buffer): ItemPlace[] {
  const text = items.toString('latin1');
  return listSpans(text).map(
    ({ start, end }) => [start, end, shortId(idOf(text.slice(start, end)))] as const,
  );
}

/** Returns the id as its place would hold it. */
export function shortId(id: string | undefined): string | null {
  return id === undefined ? null : id.slice(0, idCharacters);
}

/** Returns the id of an item in JSON that was decoded as latin1. */
function idOf(item: string): string | undefined {
  if (!item.startsWith('{')) return undefined;
  const span = topLevelSpans(item).find(({ key }) => key === 'id');
  if (!span) return undefined;
  const text = Buffer.from(item.slice(span.valueStart, span.valueEnd), 'latin1').toString();
  return text.startsWith('"') ? JSON.parse(text) : undefined;
}
