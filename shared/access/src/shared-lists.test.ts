import { expect, test } from 'vitest';
import { Access, tokenKey } from './access.ts';
import { SharedLists } from './shared-lists.ts';

test('equal lists are held once', () => {
  const lists = new SharedLists();
  const [one, equal, other] = [
    ['a', 'b'],
    ['a', 'b'],
    ['b', 'a'],
  ];
  expect(lists.share(one)).toBe(one);
  expect(lists.share(equal)).toBe(one);
  expect(lists.share(other)).toBe(other);
  expect(lists.size).toBe(2);
});

test('tokens with equal scopes hold them once', () => {
  const access = new Access();
  const token = (id: string) => ({
    ...{ id, version: 1, name: id, project: 'p', expiresAt: null, revoked: false },
    ...{ models: ['a*'], endpoints: ['chat'], allowedAddresses: ['::1'] },
  });
  for (const id of ['one', 'other']) access.put(tokenKey(id), token(id));
  const [one, other] = ['one', 'other'].map(id => access.checkHash(id, 0));
  for (const name of ['models', 'endpoints', 'allowedAddresses'] as const)
    expect(one?.[name]).toBe(other?.[name]);
});
