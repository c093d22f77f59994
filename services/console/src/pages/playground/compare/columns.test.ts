import { expect, test } from 'vitest';
import { type ColumnChoice, columnsIn, firstColumns, withColumns } from './columns.ts';

const columns: ColumnChoice[] = [
  { format: 'chat', model: 'a/b:c' },
  { format: 'generate-content', model: 'ünï & more' },
];

test('columns survive the address, beside what else is in it', () => {
  const query = new URLSearchParams(withColumns(new URLSearchParams('model=x'), columns).toString());
  expect(columnsIn(query)).toEqual(columns);
  expect(query.get('model')).toBe('x');
});

test.each(['', 'compare=chat:a', 'compare=telegraph:a&compare=chat:b'])('%j has no columns', text => {
  expect(columnsIn(new URLSearchParams(text))).toEqual([]);
});

test('at most four columns are read', () => {
  const five = [...columns, ...columns, ...columns];
  expect(columnsIn(withColumns(new URLSearchParams(), five))).toHaveLength(4);
});

test('one model is compared in two formats, several with one another', () => {
  const chosen = { model: 'a', format: 'chat' } as const;
  expect(firstColumns(['a'], chosen)).toEqual([chosen, { model: 'a', format: 'messages' }]);
  expect(firstColumns(['a', 'b'], chosen)).toEqual([chosen, { model: 'b', format: 'chat' }]);
});
