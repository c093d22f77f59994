import { expect, test } from 'vitest';
import { safeAddress } from './safe-address.ts';

test.each([
  ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
  ['mailto:a@example.com', 'mailto:a@example.com'],
  ['javascript:alert(1)', ''],
  [' java\nscript:alert(1)', ''],
  ['data:text/html,x', ''],
  ['/console/settings', ''],
  ['//example.com', ''],
])('the address %j becomes %j', (address, safe) => {
  expect(safeAddress(address)).toBe(safe);
});
