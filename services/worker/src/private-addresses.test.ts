import { privateAddress } from '@model-gateway/providers/error-codes';
import { expect, test } from 'vitest';
import { assertPublic, isPrivate, publicLookup } from './private-addresses.ts';

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
