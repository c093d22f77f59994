import { expect, test } from 'vitest';
import { Account } from './account.ts';

test('a value that is not read is in the remarks, with its path', () => {
  const account = new Account();
  const root = account.root('', { list: [{ read: 1, left: 'secret-value' }], 'odd name': { deep: null } });
  expect(root.get('list').entries()[0]?.get('read').number()).toBe(1);
  const remarks = account.close(path => (path === 'list[0].left' ? 'It is left.' : undefined));
  expect(remarks).toEqual([
    { path: 'list[0].left', outcome: 'lost', reason: 'It is left.' },
    { path: '["odd name"].deep', outcome: 'lost', reason: 'The importer does not know this field.' },
  ]);
});

test('a mapping that is lost takes all that it holds with it', () => {
  const account = new Account();
  const root = account.root('', { model: { key: 'x', other: 1 } });
  root.get('model').get('key').change('It is changed.');
  root.get('model').lose('It is lost.');
  expect(account.close(() => undefined)).toEqual([{ path: 'model', outcome: 'lost', reason: 'It is lost.' }]);
});

test('a value of another type than the one that is read is lost, and not read as something else', () => {
  const account = new Account();
  const root = account.root('', { number: 'many', flag: 'maybe', list: 'a', text: { a: 1 }, mapping: [1] });
  expect(root.get('number').number()).toBeUndefined();
  expect(root.get('flag').flag()).toBeUndefined();
  expect(root.get('list').entries()).toEqual([]);
  expect(root.get('text').text()).toBeUndefined();
  expect(root.get('mapping').mapping()).toEqual([]);
  expect(account.close(() => undefined).map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
    'number: The value is not a number.',
    'flag: The value is not true or false.',
    'list: The value is not a list.',
    'text: The value is not a text.',
    'mapping: The value is not a mapping.',
  ]);
});

test('of rows of a table, values that say nothing need no account, and a field of the prototype is none', () => {
  const account = new Account();
  const rows = account.root('keys', [{ a: null, b: '', c: {}, d: [], e: false, f: 0 }], { skipsEmpty: true });
  expect(rows.get('constructor').isPresent).toBe(false);
  expect(account.close(() => undefined).map(({ path }) => path)).toEqual(['keys[0].f']);
});
