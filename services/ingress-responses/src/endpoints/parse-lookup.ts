import { invalid } from '../format/invalid.ts';

/** What of a kept response is asked for. */
interface Lookup {
  id: string;
  /** As a stream of its events, of those with a higher number than this. */
  events?: { after: number };
}

/** @throws GatewayError of kind `invalid-request` */
export function parseLookup(url: string): Lookup {
  const { pathname, searchParams: query } = new URL(url, 'http://gateway');
  const id = idOf(pathname);
  if (query.get('stream') !== 'true') return { id };
  const after = query.get('starting_after') ?? '';
  if (after === '') return { id, events: { after: -1 } };
  if (!/^\d{1,15}$/.test(after))
    throw invalid(
      'starting_after',
      `Invalid 'starting_after': '${after.slice(0, 40)}' is no event's number.`,
    );
  return { id, events: { after: Number(after) } };
}

/** The id in `/v1/responses/<id>` and what may follow. */
export function idOf(pathname: string): string {
  const [, id = ''] = /^\/v1\/responses\/([^/]+)/.exec(pathname) ?? [];
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
