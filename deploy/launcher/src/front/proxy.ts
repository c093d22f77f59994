import { type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { TLSSocket } from 'node:tls';
import { identify } from '@model-gateway/ingress';
import type { ClientAddress } from '@model-gateway/service';

/** The idle timeout of the connection to the server, before and during its response. */
const idleMs = 60_000;

/** Headers of one connection, not of the request (RFC 9110, 7.6.1), and `expect`, which Node handles itself. */
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

/** The header that frames a message: `Connection` must not remove it. A chunked body is chunked again. */
const framing = 'content-length';

/** The header with the client's address. The server trusts it from this process only. */
const forwardedFor = 'X-Forwarded-For';
/** The header with the scheme that the client uses. A proxy before this process may have set it. */
const forwardedProto = 'X-Forwarded-Proto';

/**
 * Forwards requests to the server at `origin`, with URI, headers and bodies unchanged in both directions. The client's
 * address replaces the `X-Forwarded-For` of the request, and `X-Forwarded-Proto` says so if the client uses TLS.
 */
export function proxyTo(origin: string, clientAddress: ClientAddress): RequestListener {
  const { hostname, port } = new URL(origin);
  return (incoming, outgoing) => {
    const { method, url: path } = incoming;
    const isSecure = incoming.socket instanceof TLSSocket;
    const replaced = isSecure ? [forwardedFor, forwardedProto] : [forwardedFor];
    const headers = forwardedHeaders(
      incoming,
      replaced.map(name => name.toLowerCase()),
    );
    headers.push(forwardedFor, clientAddress(incoming));
    if (isSecure) headers.push(forwardedProto, 'https');
    // Keeps a body of unknown length chunked. Without this, Node would send that of a DELETE unframed.
    if (incoming.headers['transfer-encoding']) headers.push('Transfer-Encoding', 'chunked');
    const options = { host: hostname, port, method, path, headers, agent: false, timeout: idleMs };
    const upstream = request(options, answer => {
      outgoing.writeHead(answer.statusCode as number, answer.statusMessage, forwardedHeaders(answer));
      pipeline(answer, outgoing).catch(() => outgoing.destroy());
    });
    upstream.on('timeout', () => upstream.destroy(new Error('idle timeout')));
    upstream.on('error', error => refuse(outgoing, error));
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  };
}

const starting = {
  status: 503,
  code: 'server_is_overloaded',
  title: 'Server is overloaded',
  detail: 'The admin API is starting. Try again soon.',
};
const silent = {
  status: 502,
  code: 'upstream_error',
  title: 'Upstream error',
  detail: 'The admin API did not answer.',
};

/** Returns a message's headers as name, value, name, value, without hop-by-hop headers and those in `without`. */
function forwardedHeaders({ headers, rawHeaders }: IncomingMessage, without: string[] = []): string[] {
  const named = (headers.connection ?? '').split(',').map(name => name.trim().toLowerCase());
  const isForwarded = (name: string) =>
    name === framing || !(named.includes(name) || without.includes(name) || hopByHop.has(name));
  return rawHeaders.filter((_, i) => isForwarded((rawHeaders[i - (i % 2)] as string).toLowerCase()));
}

/** Sends problem details, as the admin API does, or closes the connection if the response has begun. */
function refuse(outgoing: ServerResponse, error: NodeJS.ErrnoException): void {
  if (outgoing.headersSent || outgoing.destroyed) {
    outgoing.destroy();
    return;
  }
  const requestId = identify(outgoing);
  const { status, code, title, detail } = error.code === 'ECONNREFUSED' ? starting : silent;
  if (status === 503) {
    outgoing.setHeader('retry-after', '1');
    outgoing.setHeader('x-gateway-reason', 'admin_api_starting');
  }
  const type = `urn:model-gateway:problem:${code}`;
  outgoing
    .writeHead(status, { 'content-type': 'application/problem+json' })
    .end(JSON.stringify({ type, title, status, detail, code, requestId, errors: [] }));
}
