import type { IncomingMessage } from 'node:http';
import { type Address, parseAddress } from './address.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/**
 * The address of the client that sent a request, as {@link parseAddress} spells it; `unknown` where the client
 * was gone before it could be asked for. Call it when the request arrives: a closed socket has no address.
 */
export type ClientAddress = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/**
 * The TCP peer's address. If the peer is a trusted proxy, `X-Forwarded-For` is read from its end: each trusted proxy
 * vouches for the entry before its own, so the first untrusted entry is the client. An entry that is no address ends the
 * list, since nobody vouches for those before it.
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
    // Empty elements of a list count for nothing (RFC 9110, 5.6.1).
    if (entry.trim() === '') continue;
    const address = parseAddress(entry);
    if (!address) break;
    client = address;
    if (!proxies.has(address)) break;
  }
  return client;
}
