import { expect, test } from 'vitest';
import { JsonBody } from './request-body.ts';

const body = new JsonBody({ texts: Array.from({ length: 40 }, () => 'x'.repeat(100_000)) });
const turn = async () => {};

test('a large body is the same in steps, within a limit', async () => {
  const bytes = await body.bytesInSteps(turn, { limit: 5_000_000 });
  expect(bytes.equals(body.bytes())).toBe(true);
});

test('a body that is larger than its limit is refused with the limit', async () => {
  await expect(body.bytesInSteps(turn, { limit: 3_000_000 })).rejects.toMatchObject({
    kind: 'too-large',
    message: expect.stringContaining('larger than 3 MB'),
  });
});

test('a body is written no further once its call is cancelled', async () => {
  const call = new AbortController();
  let turns = 0;
  const leaves = async () => {
    if (++turns === 2) call.abort(new Error('left'));
  };
  await expect(body.bytesInSteps(leaves, { signal: call.signal })).rejects.toThrow('left');
  expect(turns).toBe(2);
});
