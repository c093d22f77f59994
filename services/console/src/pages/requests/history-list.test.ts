import type { RefusedEntry, UsageEntry } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import { requestOf } from './attempts.ts';
import { askedRow, joinRows, refusedRow, requestLink } from './history-list.ts';
import { timeIn } from './use-request.ts';

const minute = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString();
const asked = (n: number) =>
  askedRow(
    requestOf([{ id: `a${n}`, requestId: `asked${n}`, at: minute(n), ms: 1, usage: null } as UsageEntry]),
  );
const refused = (n: number) => refusedRow({ requestId: `refused${n}`, at: minute(n) } as RefusedEntry);
const idsOf = (lists: Parameters<typeof joinRows>[0]) =>
  joinRows(lists).map(row => (row.kind === 'asked' ? row.request.requestId : row.refused.requestId));

test('two lists are one, newest first', () => {
  const lists = [
    { rows: [asked(5), asked(1)], more: false },
    { rows: [refused(6), refused(3)], more: false },
  ];
  expect(idsOf(lists)).toEqual(['refused6', 'asked5', 'refused3', 'asked1']);
});

test('rows that are older than what is loaded of the other list wait for it', () => {
  const lists = [
    { rows: [asked(5), asked(4)], more: true },
    { rows: [refused(6), refused(3)], more: false },
  ];
  expect(idsOf(lists)).toEqual(['refused6', 'asked5', 'asked4']);
});

test('a link to a request has its id and that of its token alone', () => {
  const record = { token: 'a-token', project: 'secret', cost: 1 };
  expect(requestLink('req_1', record)).toBe('/requests/req_1?token=a-token');
  expect(requestLink('req_1', { token: null })).toBe('/requests/req_1');
});

test('the time of a request is in its id', () => {
  const at = Date.UTC(2026, 5, 1);
  expect(timeIn(`req_${at.toString(16).padStart(12, '0')}0123456789ab`)).toBe(at);
  for (const id of ['req_0', 'req_ffffffffffff0123456789ab', 'x']) expect(timeIn(id)).toBeUndefined();
});
