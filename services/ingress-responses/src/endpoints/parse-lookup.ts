import { invalid } from '@model-gateway/formats/responses';

/** A parsed request for a stored response. */
interface Lookup {
  id: string;
  /** Set if the client requested a stream: of the events with a sequence number above `after`. */
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
      `Invalid 'starting_after': '${after.slice(0, 40)}' is not a sequence number.`,
    );
  return { id, events: { after: Number(after) } };
}

/** Parses the id in `/v1/responses/<id>`, which further path segments may follow. */
export function idOf(pathname: string): string {
  const [, id = ''] = /^\/v1\/responses\/([^/]+)/.exec(pathname) ?? [];
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
