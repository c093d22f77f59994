import { ManualClock } from '@model-gateway/clock/testing';
import type { LogPiece } from '@model-gateway/store';
import { expect, test } from 'vitest';
import { TestShare } from '../testing/shares.ts';
import { ReadSlots } from './read-slots.ts';
import { FollowerReads, RequestReads } from './reads.ts';

const piece = (size: number): LogPiece => ({
  ...{ bytes: Buffer.alloc(size), end: false, at: 1, time: 0, size },
});

test('a follower holds one read, and waits until there is room for the next', async () => {
  const clock = new ManualClock();
  const share = new TestShare(1_000);
  const over = new AbortController();
  const request = { tokenId: 'a', share, signal: over.signal, bodyBytes: 1_000 };
  const reads = new RequestReads(new ReadSlots(clock), request);
  const follower = new FollowerReads(reads, clock, over.signal);
  await follower.run(async () => [piece(400), piece(200)]);
  expect(share.held).toBe(600);
  await follower.run(async () => [piece(300)]);
  expect(share.held).toBe(300);
  const other = share.part();
  other.take(500);
  let count = 0;
  const late = follower.run(async () => {
    count++;
    return [piece(600)];
  });
  await clock.advance(1_000);
  expect(share.held).toBe(500);
  other.release();
  await clock.advance(1_000);
  expect(await late).toHaveLength(1);
  expect([share.held, count]).toEqual([600, 3]);
  follower.release();
  over.abort();
  expect(await follower.run(async () => [piece(1)])).toEqual([]);
  expect(share.held).toBe(0);
});
