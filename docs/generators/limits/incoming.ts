import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** A request as its listener gets it, with a complete body. */
export function incoming(headers: IncomingHttpHeaders, body: readonly Buffer[] = []): IncomingMessage {
  const request = Readable.from(body, { objectMode: false });
  return Object.assign(request, { headers, complete: true }) as unknown as IncomingMessage;
}
