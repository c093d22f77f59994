import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BlockList, isIP, SocketAddress } from 'node:net';
import { type BodyType, GatewayError, type TraceHeaders } from '@model-gateway/canonical';
import { z } from 'zod';

const jsonType = 'application/json';
const formType = 'multipart/form-data';
/** The most characters of a refused type that its error repeats. */
const shownCharacters = 100;

/** True if a request's body is a form. */
export function isForm({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return mediaType(type) === formType;
}

/** Checks a body's type; a missing one counts as JSON. @throws GatewayError if it is not in `accepted` */
export function checkContentType(headers: IncomingHttpHeaders, accepted: readonly BodyType[]): void {
  const type = mediaType(headers['content-type'] ?? '');
  if (type === formType && accepted.includes(formType)) return;
  if (isJson(type) && accepted.includes(jsonType)) return;
  throw unsupportedType(type, accepted);
}

/** True for `application/json`, a related type such as `application/vnd.api+json`, or no type. */
function isJson(type: string): boolean {
  return type === '' || type === jsonType || /^application\/[^/]+\+json$/.test(type);
}

function mediaType(contentType: string): string {
  return (contentType.split(';', 1)[0] as string).trim().toLowerCase();
}

function unsupportedType(type: string, accepted: readonly BodyType[]): GatewayError {
  const got = type ? `'${type.slice(0, shownCharacters)}'` : 'none';
  const expected = accepted.map(one => `'${one}'`).join(' or ');
  const message = `Unsupported content type: expected ${expected}, but got ${got}. ${remedy(accepted)}`;
  return new GatewayError('invalid-request', message, { code: 'unsupported_content_type' });
}

function remedy(accepted: readonly BodyType[]): string {
  return accepted.includes(jsonType)
    ? `Set the header Content-Type: ${jsonType}.`
    : `Send the body as a form, with the header Content-Type: ${formType}.`;
}

const authorization = 'authorization';

/**
 * Returns the value of `Authorization`, if any. Of several headers Node keeps the first, but a proxy before
 * it may have read the last.
 * @throws GatewayError if several differ
 */
export function authorizationOf(request: IncomingMessage): string | undefined {
  const { authorization: first } = request.headers;
  if (first === undefined) return undefined;
  const { rawHeaders } = request;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i] as string;
    if (
      header.length !== authorization.length ||
      header.toLowerCase() !== authorization ||
      rawHeaders[i + 1] === first
    )
      continue;
    throw new GatewayError(
      'invalid-request',
      'The request has several Authorization headers that differ. Send one.',
      {
        param: 'authorization',
        code: 'conflicting_credentials',
      },
    );
  }
  return first;
}

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
  return family === 'ipv4' ? text : `${groupsOf(text).slice(0, 4).join(':')}::/64`;
}

/** Returns the network of an address: its /24, of IPv6 its /48. Other text is returned as it is. */
export function networkOf(address: string): string {
  const { text, family } = parseAddress(address) ?? {};
  if (!text) return address;
  if (family === 'ipv4') return `${text.replace(/\.\d+$/, '.0')}/24`;
  return `${groupsOf(text).slice(0, 3).join(':')}::/48`;
}

/** Returns the eight groups of an IPv6 address. */
function groupsOf(text: string): string[] {
  const [head = '', tail] = text.split('::') as [string, string?];
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length - (text.includes('.') ? 1 : 0);
  return [...before, ...Array<string>(zeros).fill('0'), ...after];
}

/** The longest prefix of each family, in bits. */
const widest = { ipv4: 32, ipv6: 128 };
/** Length of the prefix of IPv4-mapped IPv6 addresses, in bits. */
const mappedBits = 96;

/** The proxies whose `X-Forwarded-For` is trusted. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #none: boolean;

  /** @throws RangeError naming the first entry that is neither an address nor a range */
  constructor(entries: readonly string[] = []) {
    this.#none = entries.length === 0;
    for (const entry of entries) this.#add(entry);
  }

  has({ text, family }: Address): boolean {
    return !this.#none && this.#list.check(text, family);
  }

  #add(entry: string): void {
    const [written = '', bits, more] = entry.split('/');
    const address = isIP(written) === 0 ? undefined : parseAddress(written);
    const prefix = bits === undefined ? undefined : prefixOf(bits, written, address);
    if (!address || more !== undefined || Number.isNaN(prefix))
      throw new RangeError(
        `'${entry}' is neither an IP address nor a range such as 10.0.0.0/8 or 2001:db8::/32`,
      );
    if (prefix === undefined) this.#list.addAddress(address.text, address.family);
    else this.#list.addSubnet(address.text, prefix, address.family);
  }
}

/** Returns the prefix length; NaN if the address has no such prefix. */
function prefixOf(bits: string, written: string, address: Address | undefined): number {
  if (!address || !/^\d{1,3}$/.test(bits)) return Number.NaN;
  const isMapped = address.family === 'ipv4' && written.includes(':');
  const prefix = Number(bits) - (isMapped ? mappedBits : 0);
  return prefix >= 0 && prefix <= widest[address.family] ? prefix : Number.NaN;
}

/** Schema of the setting: addresses and ranges, separated by commas. */
export const trustedProxies = z.string().transform((text, context) => {
  const entries = text.split(',').map(entry => entry.trim());
  try {
    return new TrustedProxies(entries.filter(entry => entry !== ''));
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as RangeError).message });
    return z.NEVER;
  }
});

/** Version 00 of `traceparent`, as far as later versions must keep it: https://www.w3.org/TR/trace-context/#traceparent-header */
const traceParent = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
/** Longest `tracestate` that is passed on, in characters: the length that every system must pass on. */
const maxState = 512;
const traceState = /^[\x20-\x7e\t]+$/;

/** The parts of a `traceparent`. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  sampled: boolean;
}

/** Returns the trace of a request's headers; undefined if there is none, or if it is malformed. */
export function traceHeadersOf({ traceparent, tracestate }: IncomingHttpHeaders): TraceHeaders | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const parent = parseTraceParent(traceparent);
  if (!parent) return undefined;
  const passed =
    typeof tracestate === 'string' && tracestate.length <= maxState && traceState.test(tracestate);
  return { traceparent: writeTraceParent(parent), ...(passed && { tracestate }) };
}

/** Returns the parts of a `traceparent`; undefined if it is malformed. */
export function parseTraceParent(text: string): TraceParent | undefined {
  const [, traceId, spanId, flags, more] = traceParent.exec(text) ?? [];
  // Only later versions may have more fields.
  if (!traceId || !spanId || !flags || (more && text.startsWith('00'))) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function writeTraceParent({ traceId, spanId, sampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-0${sampled ? 1 : 0}`;
}
