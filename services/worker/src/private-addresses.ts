import { type LookupAddress, type LookupAllOptions, lookup as resolve } from 'node:dns';
import type { Agent } from 'node:http';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { addressRefusal, privateAddress } from '@model-gateway/providers/error-codes';

/**
 * Addresses that are not public: IANA's special-purpose registries for IPv4 and IPv6. Those of link-local networks hold the metadata
 * services of clouds. An IPv4 address in an IPv6 one is checked as itself.
 */
const notPublic = new BlockList();
const ipv4: [string, number][] = [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
  ] as [string, number][]),
  ...([
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
  ] as [string, number][]),
  ...([
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
  ] as [string, number][]),
  ...([
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ] as [string, number][]),
];
const ipv6: [string, number][] = [
  ...([
    ['::', 96],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['100::', 64],
  ] as [string, number][]),
  ...([
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['3fff::', 20],
  ] as [string, number][]),
  ...([
    ['5f00::', 16],
    ['fc00::', 7],
    ['fe80::', 10],
    ['fec0::', 10],
    ['ff00::', 8],
  ] as [string, number][]),
];
for (const [net, bits] of ipv4) notPublic.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of ipv6) notPublic.addSubnet(net, bits, 'ipv6');

/** True for an IP address that is not public. */
export function isPrivate(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const version = isIP(plain);
  return version !== 0 && notPublic.check(plain, version === 6 ? 'ipv6' : 'ipv4');
}

/** @throws Error with the code {@link privateAddress} if the host of a URL is an IP address that is not public */
export function assertPublic(url: string): void {
  if (isPrivate(new URL(url).hostname)) throw addressRefusal();
}

/**
 * Returns a function that resolves a name for a connection, which fails if one of its addresses is not public. Each connection asks
 * again, and what was checked is what is connected to: a name server that answers otherwise the next time changes nothing.
 */
export function publicLookupBy(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      if (found.some(({ address }) => isPrivate(address))) return callback(addressRefusal(), '', 0);
      if (options.all) return callback(null, found);
      const [first] = found;
      callback(null, first?.address ?? '', first?.family);
    });
  };
}

type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/** {@link publicLookupBy} the resolver of the system. */
export const publicLookup: LookupFunction = publicLookupBy(resolve);

/** Returns an agent that connects to public addresses alone. An IP address is never looked up, so it is checked before. */
export function publicOnly<A extends Agent>(agent: A): A {
  const connect = agent.createConnection.bind(agent);
  const guarded: typeof connect = (options, callback) => {
    if (!isPrivate(options.host ?? '')) return connect(options, callback);
    callback?.(addressRefusal(), undefined as never);
    return undefined;
  };
  return Object.assign(agent, { createConnection: guarded });
}
