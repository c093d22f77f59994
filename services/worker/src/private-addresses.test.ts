import { privateAddress } from '@model-gateway/providers/error-codes';
import { describe, expect, test } from 'vitest';
import { assertPublic, isPrivate, publicLookup, publicLookupBy } from './private-addresses.ts';

test.each([
  ...['http://127.0.0.1', 'http://2130706433', 'http://0x7f.1', 'http://10.1.2.3', 'http://169.254.169.254'],
  ...['http://172.31.0.1', 'http://192.168.1.1', 'http://100.100.100.200', 'http://0.0.0.0'],
  ...['http://[::1]', 'http://[::]', 'http://[::ffff:169.254.169.254]', 'http://[::ffff:7f00:1]'],
  ...['http://[fe80::1]', 'http://[fd00:ec2::254]', 'http://[64:ff9b::a9fe:a9fe]', 'http://[2002:7f00:1::]'],
])('%s is not public', url => {
  expect(() => assertPublic(url)).toThrow(expect.objectContaining({ code: privateAddress }));
});

test.each(['https://8.8.8.8', 'https://172.32.0.1', 'https://[2606:4700::1111]', 'https://[::ffff:8.8.8.8]'])(
  '%s is public',
  url => expect(() => assertPublic(url)).not.toThrow(),
);

test('a name is neither, and a name that leads to the machine itself is refused when it is resolved', async () => {
  expect(isPrivate('localhost')).toBe(false);
  const error = await new Promise(resolve => publicLookup('localhost', { all: true }, resolve));
  expect(error).toMatchObject({
    code: privateAddress,
    message: expect.stringContaining('GATEWAY_PRIVATE_PROVIDERS'),
  });
});

describe('a name server that changes its answers', () => {
  const near = { address: '127.0.0.1', family: 4 };
  const far = { address: '192.0.9.1', family: 4 };
  const metadata = { address: '::ffff:169.254.169.254', family: 6 };

  /** Returns a function that asks for an address, as a connection does, of a server with these answers in turn. */
  function asking(...answers: { address: string; family: number }[][]) {
    let asked = 0;
    const lookup = publicLookupBy((_name, _options, callback) => callback(null, answers[asked++] ?? []));
    const ask = (options: { all?: boolean } = {}) =>
      new Promise((resolve, reject) =>
        lookup('rebind.example', options, (error, found) => (error ? reject(error) : resolve(found))),
      );
    return { ask, asked: () => asked };
  }

  test('is asked once for each connection, which goes to what was checked', async () => {
    const { ask, asked } = asking([far], [near], [far]);
    expect([await ask(), asked()]).toEqual([far.address, 1]);
    await expect(ask()).rejects.toMatchObject({ code: privateAddress });
    expect([await ask({ all: true }), asked()]).toEqual([[far], 3]);
  });

  test.each([
    ['beside a public one', [far, near]],
    ['before a public one', [near, far]],
    ['within an IPv6 address', [far, metadata]],
  ])('is refused if it names an address that is not public %s', async (_where, answer) => {
    await expect(asking(answer).ask({ all: true })).rejects.toMatchObject({ code: privateAddress });
    await expect(asking(answer).ask()).rejects.toMatchObject({ code: privateAddress });
  });
});
