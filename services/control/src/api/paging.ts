import { type EndpointName, name } from '@model-gateway/admin-api';
import { z } from 'zod/mini';
import { invalidField } from '../common/invalid-fields.ts';
import type { Page } from '../database/newest-first.ts';

/** The form of a place in a list that is newest first: microseconds since 1970, and an id. */
export const placeInTime = z.tuple([z.int().check(z.minimum(0)), z.uuid()]);
/** The form of a place in a list by name. */
export const placeByName = name;
/** The form of a place in a list by numbers. */
export const placeByNumber = z.int().check(z.positive());

/** The form of a time down to which a list was searched: milliseconds since 1970. */
export const placeByTime = z.int().check(z.minimum(0), z.maximum(253_402_300_800_000));

/** The pages of a list. A cursor is the place of a page's last record in the order of the list, as an opaque text. */
export class Pages<Place> {
  readonly #list: EndpointName;
  readonly #cursor: z.ZodMiniType<[string, Place]>;

  constructor(list: EndpointName, place: z.ZodMiniType<Place>) {
    this.#list = list;
    this.#cursor = z.tuple([z.literal(list), place]) as unknown as z.ZodMiniType<[string, Place]>;
  }

  /** Returns the page that a query asks for. @throws GatewayError if its cursor is none of this list */
  asked({ limit, cursor }: { limit: number; cursor?: string | undefined }): Page<Place> {
    if (cursor === undefined) return { limit };
    const read = this.#cursor.safeParse(decode(cursor));
    if (!read.success)
      throw invalidField('cursor', 'is not the next of a page of this list', 'invalid_value');
    return { limit, after: read.data[1] };
  }

  /** Reads a page by `read`, with one more record, which tells if there is another page. */
  async read<Row>(
    { limit, after }: Page<Place>,
    read: (page: Page<Place>) => Promise<Row[]>,
    placeOf: (row: Row) => Place,
  ): Promise<{ rows: Row[]; next: string | null }> {
    const found = await read({ limit: limit + 1, after });
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const hasMore = found.length > limit && last !== undefined;
    return { rows, next: hasMore ? this.cursorAt(placeOf(last)) : null };
  }

  /** Returns the cursor of the page after a place. */
  cursorAt(place: Place): string {
    return Buffer.from(JSON.stringify([this.#list, place])).toString('base64url');
  }
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}
