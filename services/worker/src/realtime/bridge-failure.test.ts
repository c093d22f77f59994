import { expect, test } from 'vitest';
import { relayedClose } from './bridge-dial.ts';

test.each([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1012, 1013, 1014, 3000, 4000, 4999])(
  'close code %i is relayed',
  code => expect(relayedClose(code, 'why')).toEqual({ code, reason: 'why' }),
);

test('a close without a code is relayed as 1011', () => {
  expect(relayedClose(1005, '')).toEqual({ code: 1011, reason: '' });
});

test.each([1004, 1006, 1015, 2000, 5000])('close code %i is a failure', code => {
  expect(relayedClose(code, 'why')).toBeUndefined();
});

test('a close reason is truncated between characters to fit its frame', () => {
  const { reason = '' } = relayedClose(4000, 'é'.repeat(100)) ?? {};
  expect(reason).toBe('é'.repeat(61));
});
