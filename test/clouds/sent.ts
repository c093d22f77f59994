import type { StartedSimulator } from '@model-gateway/simulator';

/** A request as an upstream received it, as far as a gateway and a vendor's SDK must agree. */
export interface Sent {
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: unknown;
}

/** Headers that differ between two clients of one API without any meaning for it. */
const ignored =
  /^(?:host|connection|content-length|accept-encoding|accept-language|sec-fetch-mode|user-agent|accept|x-stainless-.*|x-goog-api-client|keep-alive|transfer-encoding)$/;

/** Returns what an upstream received while `act` ran. */
export async function sentBy({ requests }: StartedSimulator, act: () => Promise<unknown>): Promise<Sent[]> {
  const before = requests.length;
  await act();
  return requests.slice(before).map(({ path, headers, body }) => {
    const { pathname, searchParams } = new URL(path, 'http://upstream');
    const kept = Object.entries(headers).filter(([name]) => !ignored.test(name));
    return {
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value).split(';', 1)[0] ?? ''])),
      body: JSON.parse(body),
    };
  });
}
