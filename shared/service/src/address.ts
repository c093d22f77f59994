import { isIP, SocketAddress } from 'node:net';

/** A canonical IP address: without port, zone or IPv4-mapped prefix; IPv6 compressed, in lower case. */
export interface Address {
  text: string;
  family: 'ipv4' | 'ipv6';
}

/** The most characters of an address with brackets, zone and port; longer text is rejected. */
const maxCharacters = 80;

/** Parses an address as sockets and proxies write it, such as `1.2.3.4:80`, `[::1]:80`, `::ffff:1.2.3.4`. */
export function parseAddress(written: string): Address | undefined {
  const text = written.trim();
  if (text.length > maxCharacters) return undefined;
  const ip = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
  const version = isIP(ip);
  if (version === 4) return { text: ip, family: 'ipv4' };
  if (version !== 6) return undefined;
  const { address } = new SocketAddress({ address: ip, family: 'ipv6' });
  const mapped = /^::ffff:([\d.]+)$/.exec(address)?.[1];
  return mapped ? { text: mapped, family: 'ipv4' } : { text: address, family: 'ipv6' };
}

/** Returns the part that identifies a client: of IPv6 the first 64 bits, since clients choose the rest. */
export function clientPart({ text, family }: Address): string {
  if (family === 'ipv4') return text;
  const [head = '', tail] = text.split('::') as [string, string?];
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length - (text.includes('.') ? 1 : 0);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
