import { type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { GatewayError } from '@model-gateway/canonical';
import { identify, renderChatError, sendError } from '@model-gateway/ingress';
import type { ClientAddress } from '@model-gateway/service';

/** How long the other side may be silent, before its answer and within it. */
const silenceMs = 60_000;

/** Headers about one connection, not about the request (RFC 9110, 7.6.1), and what Node has answered itself. */
const hopByHop = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The header that tells a message from the next one: no sender may name it away. A chunked body is chunked anew. */
const framing = 'content-length';

/** The header that tells the server the address of the client; it trusts this process alone. */
const forwardedFor = 'X-Forwarded-For';

/**
 * Passes requests on to the server at `origin`: URI, headers and bodies as they come, both ways. The client's address is
 * told in `X-Forwarded-For`, in place of what the request says of it.
 */
export function proxyTo(origin: string, clientAddress: ClientAddress): RequestListener {
  const { hostname, port } = new URL(origin);
  return (incoming, outgoing) => {
    const { method, url: path } = incoming;
    const headers = passedOn(incoming, [forwardedFor.toLowerCase()]);
    headers.push(forwardedFor, clientAddress(incoming));
    // A body of unknown length keeps being one: without this Node would send that of a DELETE unframed.
    if (incoming.headers['transfer-encoding']) headers.push('Transfer-Encoding', 'chunked');
    const options = { host: hostname, port, method, path, headers, agent: false, timeout: silenceMs };
    const upstream = request(options, answer => {
      outgoing.writeHead(answer.statusCode as number, answer.statusMessage, passedOn(answer));
      pipeline(answer, outgoing).catch(() => outgoing.destroy());
    });
    upstream.on('timeout', () => upstream.destroy(new Error('silent')));
    upstream.on('error', error => refuse(outgoing, error));
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  };
}

/** A message's headers as name, value, name, value, without those that end at this hop and those in `without`. */
function passedOn({ headers, rawHeaders }: IncomingMessage, without: string[] = []): string[] {
  const named = (headers.connection ?? '').split(',').map(name => name.trim().toLowerCase());
  const isKept = (name: string) =>
    name === framing || !(named.includes(name) || without.includes(name) || hopByHop.has(name));
  return rawHeaders.filter((_, i) => isKept((rawHeaders[i - (i % 2)] as string).toLowerCase()));
}

/** Says in the chat format's shape that there was no answer, or cuts one that has begun. */
function refuse(outgoing: ServerResponse, error: NodeJS.ErrnoException): void {
  if (outgoing.headersSent || outgoing.destroyed) {
    outgoing.destroy();
    return;
  }
  identify(outgoing);
  const refusal =
    error.code === 'ECONNREFUSED'
      ? new GatewayError('overloaded', 'The admin API is starting. Try again soon.', { retryAfterMs: 1_000 })
      : new GatewayError('upstream', 'The admin API did not answer.');
  sendError(outgoing, renderChatError(refusal));
}
