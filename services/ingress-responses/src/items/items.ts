import { parseExact } from '@model-gateway/json';

/** An item of a conversation as the client sent it. Its numbers keep their spelling. */
export type Item = Record<string, unknown>;

/** Parses items that are joined by commas. */
export function readItems(items: string): Item[] {
  return parseExact(`[${items}]`) as Item[];
}

export function writeItems(items: readonly Item[]): string {
  return items.map(item => JSON.stringify(item)).join(',');
}
