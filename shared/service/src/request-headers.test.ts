import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ConfigError } from './config.ts';
import { clientAddress, clientPart, parseAddress, TrustedProxies } from './request-headers.ts';
import { readSettings } from './settings.ts';

const proxies = new TrustedProxies(['10.0.0.0/8', '192.0.2.7', '2001:db8:1::/48', '::ffff:198.51.100.0/120']);

function client(remoteAddress: string | undefined, forwarded?: string, trusted = proxies): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return clientAddress(trusted)({ headers, socket: { remoteAddress } as Socket });
}

describe('the client address', () => {
  test.each([
    ['an untrusted peer', '203.0.113.5', undefined, '203.0.113.5'],
    ['an untrusted peer that forges a header', '203.0.113.5', '1.1.1.1', '203.0.113.5'],
    ['an untrusted peer that names trusted proxies', '203.0.113.5', '1.1.1.1, 10.0.0.1', '203.0.113.5'],
    ['a peer that is mapped into IPv6', '::ffff:203.0.113.5', '1.1.1.1', '203.0.113.5'],
    ['a trusted peer without a header', '10.0.0.1', undefined, '10.0.0.1'],
    ['a trusted peer with an empty header', '10.0.0.1', '', '10.0.0.1'],
    ['a trusted peer with empty elements', '10.0.0.1', ' , 1.1.1.1,, ', '1.1.1.1'],
    ['a trusted peer', '10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['a trusted peer that is mapped into IPv6', '::ffff:10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['a peer in a range written as IPv4-mapped IPv6', '198.51.100.9', '1.1.1.1', '1.1.1.1'],
    ['a peer in a trusted range of IPv6', '2001:db8:1:2::3', '2001:DB8:0:0::9', '2001:db8::9'],
    ['a peer outside that range', '2001:db8:2::3', '1.1.1.1', '2001:db8:2::3'],
    ['a client that forged the entries before its own', '10.0.0.1', '6.6.6.6, 10.9.9.9, 1.1.1.1', '1.1.1.1'],
    ['a chain of trusted proxies', '10.0.0.1', '6.6.6.6, 1.1.1.1, 192.0.2.7, 10.1.2.3', '1.1.1.1'],
    ['a chain that is trusted from end to end', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['an entry with a port', '10.0.0.1', '1.1.1.1:5678', '1.1.1.1'],
    ['an IPv6 entry with a port', '10.0.0.1', '[2001:db8::1]:80', '2001:db8::1'],
    ['an IPv6 entry in brackets', '10.0.0.1', '[::1]', '::1'],
    ['an IPv6 entry with a zone', '10.0.0.1', 'fe80::1%eth0', 'fe80::1'],
    ['an entry that is mapped into IPv6', '10.0.0.1', '::ffff:1.1.1.1', '1.1.1.1'],
    ['a mapped entry of a trusted proxy', '10.0.0.1', '1.1.1.1, ::ffff:10.0.0.2', '1.1.1.1'],
    ['the entry unknown', '10.0.0.1', '1.1.1.1, unknown', '10.0.0.1'],
    ['an obfuscated identifier', '10.0.0.1', '1.1.1.1, _hidden, 10.0.0.2', '10.0.0.2'],
    ['an entry that is not an address', '10.0.0.1', '1.1.1.1, 300.1.1.1', '10.0.0.1'],
    ['an entry that is too long', '10.0.0.1', `1.1.1.1, ${'1'.repeat(10_000)}`, '10.0.0.1'],
    ['a peer that has disconnected', undefined, '1.1.1.1', 'unknown'],
  ])('is correct for %s', (_, peer, forwarded, expected) => {
    expect(client(peer, forwarded)).toBe(expected);
  });

  test('is the peer by default, when no proxy is trusted', () => {
    const { GATEWAY_TRUSTED_PROXIES: none } = readSettings(['GATEWAY_TRUSTED_PROXIES'], {});
    for (const peer of ['127.0.0.1', '::1', '10.0.0.1']) expect(client(peer, '1.1.1.1', none)).toBe(peer);
  });
});

describe('GATEWAY_TRUSTED_PROXIES', () => {
  const read = (text: string) => readSettings(['GATEWAY_TRUSTED_PROXIES'], { GATEWAY_TRUSTED_PROXIES: text });

  test('may have empty entries', () => {
    const { GATEWAY_TRUSTED_PROXIES: trusted } = read('10.0.0.2, ,::1,');
    expect(client('::1', '1.1.1.1', trusted)).toBe('1.1.1.1');
    expect(client('10.0.0.3', '1.1.1.1', trusted)).toBe('10.0.0.3');
  });

  test.each([
    'edge',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '::1/129',
    '::ffff:10.0.0.0/95',
    '10.0.0.1:80',
    '[::1]',
    '10.0.0.0/-1',
  ])('rejects %s, which is neither an address nor a range', entry => {
    const message = `GATEWAY_TRUSTED_PROXIES: '${entry}' is neither an IP address nor a range`;
    expect(() => read(`10.0.0.1,${entry}`)).toThrow(ConfigError);
    expect(() => read(`10.0.0.1,${entry}`)).toThrow(message);
  });
});

test.each([
  ['203.0.113.5', '203.0.113.5'],
  ['::ffff:203.0.113.5', '203.0.113.5'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['2001::5:6:7:8:9', '2001:0:0:5::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['::1.2.3.4', '0:0:0:0::/64'],
])('connections from %s count for %s', (address, part) => {
  const parsed = parseAddress(address);
  expect(parsed && clientPart(parsed)).toBe(part);
});
