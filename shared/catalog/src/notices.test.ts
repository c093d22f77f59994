import { expect, test } from 'vitest';
import { Notices } from './catalog.ts';

test('each control has notices of its own, until it is not heard any more while another is', () => {
  const notices = new Notices();
  notices.heard('a', ['the file is wrong', 'the ledger is late'], 0);
  notices.heard('b', ['the ledger is late'], 500);
  expect(notices.all()).toEqual(['the file is wrong', 'the ledger is late']);
  notices.heard('b', [], 1_500);
  notices.heard('a', ['the file is wrong'], 2_000);
  expect(notices.all()).toEqual(['the file is wrong']);
  notices.heard('b', [], 6_000);
  expect(notices.all()).toEqual([]);
});
