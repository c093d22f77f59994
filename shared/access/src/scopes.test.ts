import { GatewayError } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { allowedModels, assertModel, assertUse, isAddressRange, type Scopes } from './scopes.ts';

function refusal(check: () => void): unknown {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return [error.kind, error.details.code];
  }
}

test('a token without scopes may use every endpoint and model, from every address', () => {
  expect(refusal(() => assertUse({}, { endpoint: 'chat', client: '203.0.113.9' }))).toBeUndefined();
  expect(refusal(() => assertModel({}, 'any'))).toBeUndefined();
});

test('endpoints are allowed by format', () => {
  const scopes: Scopes = { endpoints: ['chat', 'embeddings'] };
  expect(refusal(() => assertUse(scopes, { endpoint: 'chat', client: '::1' }))).toBeUndefined();
  expect(refusal(() => assertUse(scopes, { endpoint: 'images', client: '::1' }))).toEqual([
    'forbidden',
    'endpoint_not_allowed',
  ]);
});

test.each([
  ['10.1.2.3', true],
  ['::ffff:10.1.2.3', true],
  ['11.0.0.1', false],
  ['192.0.2.7', true],
  ['192.0.2.8', false],
  ['2001:db8::1', true],
  ['2001:db9::1', false],
  ['', false],
])('the address %j is allowed: %j', (client, allowed) => {
  const scopes: Scopes = { allowedAddresses: ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'] };
  const expected = allowed ? undefined : ['forbidden', 'address_not_allowed'];
  expect(refusal(() => assertUse(scopes, { endpoint: 'chat', client }))).toEqual(expected);
});

test.each([
  ['10.0.0.0/8', true],
  ['10.0.0.1', true],
  ['::/0', true],
  ['::ffff:10.0.0.1', true],
  ['::ffff:10.0.0.0/104', true],
  ['::ffff:10.0.0.0/24', false],
  ['10.0.0.0/33', false],
  ['10.0.0', false],
  ['10.0.0.0/', false],
  ['example.com', false],
  ['', false],
])('%j is a range of addresses: %j', (range, valid) => {
  expect(isAddressRange(range)).toBe(valid);
});

test('models are allowed by pattern', () => {
  const scopes: Scopes = { models: ['gpt-*', 'claude'] };
  expect(refusal(() => assertModel(scopes, 'gpt-4o'))).toBeUndefined();
  expect(refusal(() => assertModel(scopes, 'claude'))).toBeUndefined();
  expect(refusal(() => assertModel(scopes, 'claude-2'))).toEqual(['forbidden', 'model_not_allowed']);
  expect(refusal(() => assertModel({ models: [] }, 'x'))).toEqual(['forbidden', 'model_not_allowed']);
});

test('a list of models holds those that a token may use, by names that it may use', () => {
  const all = ['gpt-4o', 'gpt-*', 'o3', 'any/*', 'any/long-*'].map(name => ({ name, limits: {} }));
  const names = (models?: string[]) =>
    allowedModels(all, { ...(models && { models }) }).map(({ name }) => name);
  expect(names()).toEqual(['gpt-4o', 'gpt-*', 'o3', 'any/*', 'any/long-*']);
  expect(names(['*'])).toEqual(['gpt-4o', 'gpt-*', 'o3', 'any/*', 'any/long-*']);
  expect(names(['gpt-*'])).toEqual(['gpt-4o', 'gpt-*']);
  expect(names(['gpt-4o'])).toEqual(['gpt-4o']);
  expect(names(['gpt-5', 'gpt-4*', 'none'])).toEqual(['gpt-4o', 'gpt-5', 'gpt-4*']);
  expect(names(['any/long-1', 'any/b'])).toEqual(['any/b', 'any/long-1']);
  expect(names([])).toEqual([]);
});
