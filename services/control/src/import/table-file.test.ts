import { expect, test } from 'vitest';
import { rowsOf } from './table-file.ts';

const row = { token: 'abc', models: ['gpt-4', 'a,"b'], blocked: null, max_budget: 5 };

test.each([
  ['a JSON list', JSON.stringify([row])],
  ['a JSON object a line', `${JSON.stringify(row)}\n\n`],
  ['the answer of /key/list', JSON.stringify({ keys: [row], total_count: 1 })],
  ['the answer of /key/info', JSON.stringify({ key: 'abc', info: { ...row, token: undefined } })],
])('%s is read', (_, text) => {
  expect(rowsOf(text, 'keys')).toEqual([row]);
});

test('a single row with a list of another table is one row', () => {
  const user = { user_id: 'u', teams: ['t-1'] };
  expect(rowsOf(JSON.stringify(user), 'users')).toEqual([user]);
});

test('CSV of psql is read, with its lists, JSON and empty fields', () => {
  const text = 'token,models,metadata,blocked\nabc,"{gpt-4,""a,\\""b""}","{""team"": ""x""}",\ndef,{},{},t\n';
  expect(rowsOf(text, 'keys.csv')).toEqual([
    { token: 'abc', models: ['gpt-4', 'a,"b'], metadata: { team: 'x' }, blocked: null },
    { token: 'def', models: {}, metadata: {}, blocked: 't' },
  ]);
});

test.each([
  [
    '["hash-1","hash-2"]',
    'keys: row 1 is no mapping of fields. Of /key/list, ask for return_full_object=true.',
  ],
  ['{"token":"a"}\nnonsense', 'keys: line 2 is not JSON'],
  ['a,b\n"1', 'keys is neither JSON nor CSV'],
])('%j is refused with the file and the reason', (text, message) => {
  expect(() => rowsOf(text, 'keys')).toThrow(message);
});
