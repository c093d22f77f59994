import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Access, callKeyName, isProven, proofOf } from './access.ts';

const newKey = () => randomBytes(32).toString('base64');
const key = newKey();
const charged = { requestId: 'req_1', tokenId: 'token', project: 'lab', owner: 'ada' };
const record = { ...charged, proof: proofOf(key, charged), model: 'm', charged: true };

test('a record of a call is proven, with and without an owner', () => {
  expect(isProven(key, record)).toBe(true);
  const { owner: _, ...unowned } = charged;
  expect(isProven(key, { ...unowned, proof: proofOf(key, unowned) })).toBe(true);
});

test.each<[string, unknown]>([
  ['another token', { ...record, tokenId: 'other' }],
  ['another project', { ...record, project: 'other' }],
  ['another owner', { ...record, owner: 'eve' }],
  ['no owner', { ...record, owner: undefined }],
  ['another request', { ...record, requestId: 'req_2' }],
  ['fields that run together', { ...record, requestId: 'req_1token', tokenId: '' }],
  ['no proof', { ...record, proof: undefined }],
  ['an empty proof', { ...record, proof: '' }],
  ['a longer proof', { ...record, proof: `${record.proof}A` }],
  ['a proof that is no text', { ...record, proof: [record.proof] }],
  ['a proof of other characters', { ...record, proof: '\u{1F511}'.repeat(11) }],
  ['a proof by another key', { ...record, proof: proofOf(newKey(), charged) }],
  ['fields of other types', { ...record, project: JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) }],
  ['no object', 'record'],
  ['null', null],
])('a record with %s is not', (_name, forged) => {
  expect(isProven(key, forged)).toBe(false);
});

test('an ingress makes proofs by the key that control publishes', () => {
  const access = new Access();
  const token = { id: 'token', project: 'lab', owner: 'ada' } as never;
  expect(access.proofOf('req_1', token)).toBeUndefined();
  access.put(callKeyName, { version: 1, key });
  expect(access.proofOf('req_1', token)).toBe(record.proof);
  // A control of an older version removes what it does not know.
  access.remove(callKeyName);
  expect(access.proofOf('req_1', token)).toBe(record.proof);
});
