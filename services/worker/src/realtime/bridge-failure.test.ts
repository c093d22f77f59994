import { expect, test } from 'vitest';
import { relayedClose } from './bridge-dial.ts';

test.each([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1012, 1013, 1014, 3000, 4000, 4999])(
  '%i may be sent on',
  code => expect(relayedClose(code, 'why')).toEqual({ code, reason: 'why' }),
);

test('a close without a word is one that nobody expected', () => {
  expect(relayedClose(1005, '')).toEqual({ code: 1011, reason: '' });
});

test.each([1004, 1006, 1015, 2000, 5000])('%i is told as a failure', code => {
  expect(relayedClose(code, 'why')).toBeUndefined();
});

test('a reason is cut where a close frame ends, between characters', () => {
  const { reason = '' } = relayedClose(4000, 'é'.repeat(100)) ?? {};
  expect(reason).toBe('é'.repeat(61));
});
