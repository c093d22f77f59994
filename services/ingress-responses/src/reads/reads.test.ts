import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test } from 'vitest';
import { TestShare } from '../testing/shares.ts';
import { ReadSlots } from './read-slots.ts';
import { mostRead, RequestReads } from './reads.ts';

const readsOf = (share: TestShare, bodyBytes = 1_000) =>
  new RequestReads(new ReadSlots(new ManualClock()), { tokenId: 'a', share, signal: undefined, bodyBytes });

test('what a request reads is reserved until it has its answer', () => {
  const share = new TestShare(10_000);
  const reads = readsOf(share);
  reads.reserve(6_000);
  expect(() => reads.reserve(6_000)).toThrow('This token holds too much.');
  expect(share.held).toBe(6_000);
  reads.release();
  expect(share.held).toBe(0);
  // A read that goes on after its client left reserves nothing.
  expect(() => reads.reserve(1)).toThrow('The request has ended.');
});

test('a request reads only so much', () => {
  const reads = readsOf(new TestShare());
  reads.reserve(mostRead(1_000));
  expect(() => reads.reserve(1)).toThrow(/more than 68 MB of stored responses/);
});
