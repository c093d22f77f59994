import type { StoredHead } from '@model-gateway/store';
import { ItemList } from '../items/item-list.ts';
import { joined, readTurn, sectionOf, type Turn, type TurnIndex } from './turn.ts';

/** Reads the bytes of a stored value from `from` up to `to`. */
export type Slice = (from: number, to: number) => Promise<Buffer>;

/** A turn with its revision, which the next write of it must name. */
export interface StoredTurn extends Turn {
  revision: number;
  /** Its size in the store, in bytes. */
  bytes: number;
}

/** Returns the turn in a stored value; undefined for that of a deleted response. */
export function turnIn({ value, revision }: { value: Buffer; revision: number }): StoredTurn | undefined {
  return value.length === 0 ? undefined : { ...readTurn(value), revision, bytes: value.length };
}

async function wholeTurn(head: StoredHead, slice: Slice): Promise<StoredTurn | undefined> {
  return turnIn({ value: await slice(0, head.bytes), revision: head.revision });
}

/** Reads the response object of a turn as JSON, without its input if it is large. */
export async function readResponse(head: StoredHead, slice: Slice): Promise<string | undefined> {
  const place = sectionOf(head.sections, 'response');
  if (place) return (await slice(place.from, place.to)).toString();
  return (await wholeTurn(head, slice))?.response;
}

/** Returns the items in sections of a turn, of which those of a large one are read when they are asked for. */
export async function itemsIn(
  head: StoredHead,
  slice: Slice,
  names: readonly ('base' | 'input')[],
): Promise<ItemList | undefined> {
  const place = sectionOf(head.sections, 'index');
  if (!place) {
    const turn = await wholeTurn(head, slice);
    return turn && !turn.meta.lost ? ItemList.of(joined(names.map(name => turn[name]))) : undefined;
  }
  const index: TurnIndex = JSON.parse((await slice(place.from, place.to)).toString());
  if (index.lost) return undefined;
  const places = names.flatMap(name => {
    const start = sectionOf(head.sections, name)?.from ?? 0;
    return index[name].map(([from, to, id]) => [start + from, start + to, id] as const);
  });
  return new ItemList(places, slice);
}
