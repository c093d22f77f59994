import type { Provider } from '@model-gateway/catalog';
import { expect, test } from 'vitest';
import { readCredential } from './credentials.ts';

test('headers of the connection that an older version has stored are not sent', () => {
  const headers = { 'X-Team': 'a', Host: 'evil.example', 'content-length': '1', 'Transfer-Encoding': 'x' };
  const provider = { name: 'house', kind: 'openai-compatible', headers, pool: 'default' } as Provider;
  expect(readCredential(provider, undefined).headers).toEqual({ 'x-team': 'a' });
});
