import type { IncomingMessage } from 'node:http';
import { type Address, parseAddress } from './address.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/**
 * Returns the address of a request's client as {@link parseAddress} spells it; `unknown` if the client has
 * disconnected. Call it when the request arrives: a closed socket has no address.
 */
export type ClientAddress = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/**
 * Finds the client's address: the TCP peer, unless it is a trusted proxy. In that case `X-Forwarded-For` is
 * read from its end: each trusted proxy vouches for the entry before its own, so the first untrusted entry is
 * the client. An invalid entry ends the list, since no proxy vouches for the entries before it.
 */
export function clientAddress(proxies: TrustedProxies): ClientAddress {
  return ({ headers, socket }) => {
    const peer = parseAddress(socket.remoteAddress ?? '');
    if (!peer) return 'unknown';
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined || !proxies.has(peer)) return peer.text;
    return firstUntrusted(peer, String(forwarded).split(','), proxies).text;
  };
}

function firstUntrusted(peer: Address, entries: string[], proxies: TrustedProxies): Address {
  let client = peer;
  for (const entry of entries.reverse()) {
    // Empty list elements are ignored (RFC 9110, 5.6.1).
    if (entry.trim() === '') continue;
    const address = parseAddress(entry);
    if (!address) break;
    client = address;
    if (!proxies.has(address)) break;
  }
  return client;
}
