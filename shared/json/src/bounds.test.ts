import { expect, test } from 'vitest';
import { exceededBound, requestBounds, scanJson } from './bounds.ts';

const { values: maxJsonValues, integers: maxJsonIntegers, items: maxJsonItems } = requestBounds;

const list = (count: number, item: string) => `[${Array(count).fill(item).join(',')}]`;
const object = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')}}`;
/** An array of arrays, so that no array has too many items. */
const lists = (values: number, item: string) => list(values / 1_000, list(999, item));

test.each([
  ['values', lists(maxJsonValues - 1_000, '"a"'), lists(maxJsonValues + 1_000, '"a"')],
  ['values', lists(maxJsonValues - 1_000, '{}'), lists(maxJsonValues + 1_000, '{}')],
  ['values', lists(maxJsonValues - 1_000, 'null'), lists(maxJsonValues + 1_000, 'null')],
  ['values', lists(maxJsonValues - 1_000, '1.5'), lists(maxJsonValues + 1_000, '-1e5')],
  ['integers', list(maxJsonIntegers, '1'), list(maxJsonIntegers + 1, '-1')],
  ['items', list(maxJsonItems, '"a"'), list(maxJsonItems + 1, '"a"')],
  ['items', list(maxJsonItems, '[]'), list(maxJsonItems + 1, ' [ ] ')],
  ['members', object(maxJsonItems), object(maxJsonItems + 1)],
  ['nesting', `${'['.repeat(500)}${']'.repeat(500)}`, `${'['.repeat(501)}${']'.repeat(501)}`],
] as const)('a text at the bound of %s passes, and one above it does not', (bound, within, over) => {
  JSON.parse(within);
  JSON.parse(over);
  expect(scanJson(within).exceeded).toBeUndefined();
  expect(scanJson(over).exceeded?.bound).toBe(bound);
});

test('every value of a text is counted once', () => {
  const value = { a: [1, -2, 'x', { b: null, c: [true, false, {}, []], '"': 'quote' }], d: 1.5, e: '[{,:' };
  const one = JSON.stringify(value, null, 2);
  // Integers in arrays are counted apart.
  const values = 13;
  const most = Math.floor((maxJsonValues - 1) / values);
  expect(exceededBound(`{"x":${lists(1_000, '0')},"y":[${splitInTens(most, one)}]}`)).toBeUndefined();
  expect(exceededBound(`[${splitInTens(most + 10, one)}]`)).toContain('JSON values');
});

/** Returns the copies in arrays of ten; each array counts as a value too. */
function splitInTens(copies: number, one: string): string {
  const tens = Math.floor((copies * 13) / 131);
  return Array(tens).fill(list(10, one)).join(',');
}

test('scanJson names the top-level member that exceeds a bound', () => {
  const text = `{"model":"m","mess\\u0061ges":${list(maxJsonItems + 1, '{}')},"z":1}`;
  expect(scanJson(text).exceeded).toMatchObject({ bound: 'items', member: 'messages' });
});

test('scanJson lists each top-level key as often as it occurs, and no nested keys', () => {
  const text = '{"a":{"b":1,"a":2},"c":["d",{"e":1}],"\\u0061":":","f":"g" , "a" : 1}';
  expect(scanJson(text).keys).toEqual(['a', 'c', 'a', 'f', 'a']);
});

test.each(['', '{', ']]]]', '"', '"\\', '{"a" 1}', '[1 2 3', ':::'])(
  'a text that is not JSON is scanned to its end: %s',
  text => {
    expect(scanJson(text).exceeded).toBeUndefined();
  },
);

test('brackets, quotes and escapes inside strings are skipped', () => {
  const inside = ['\\"', '\\\\', '[{', '"'].join('x').repeat(5_000);
  expect(scanJson(JSON.stringify({ a: inside, b: 1 }))).toMatchObject({ keys: ['a', 'b'], values: 3 });
});
