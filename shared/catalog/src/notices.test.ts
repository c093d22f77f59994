import { expect, test } from 'vitest';
import { Notices } from './catalog.ts';

test("a control's notices stay until it sends no more heartbeats while another does", () => {
  const notices = new Notices();
  notices.report('a', ['the file is wrong', 'the ledger is late'], 0);
  notices.report('b', ['the ledger is late'], 500);
  expect(notices.all()).toEqual(['the file is wrong', 'the ledger is late']);
  notices.report('b', [], 1_500);
  notices.report('a', ['the file is wrong'], 2_000);
  expect(notices.all()).toEqual(['the file is wrong']);
  notices.report('b', [], 6_000);
  expect(notices.all()).toEqual([]);
});
