import { expect, test } from 'vitest';
import { exceededBound, requestBounds, scanJson } from './json-bounds.ts';

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
] as const)(
  'a text with as many %s as the bound passes, and one with more does not',
  (bound, within, over) => {
    JSON.parse(within);
    JSON.parse(over);
    expect(scanJson(within).exceeded).toBeUndefined();
    expect(scanJson(over).exceeded?.bound).toBe(bound);
  },
);

test('each value of any text is counted once', () => {
  const value = { a: [1, -2, 'x', { b: null, c: [true, false, {}, []], '"': 'quote' }], d: 1.5, e: '[{,:' };
  const one = JSON.stringify(value, null, 2);
  // The integers are not among them.
  const values = 13;
  const most = Math.floor((maxJsonValues - 1) / values);
  expect(exceededBound(`{"x":${lists(1_000, '0')},"y":[${splitInTens(most, one)}]}`)).toBeUndefined();
  expect(exceededBound(`[${splitInTens(most + 10, one)}]`)).toContain('JSON values');
});

/** Arrays of ten copies each: an array is a value, too. */
function splitInTens(copies: number, one: string): string {
  const tens = Math.floor((copies * 13) / 131);
  return Array(tens).fill(list(10, one)).join(',');
}

test('the top-level member that exceeds a bound is named', () => {
  const text = `{"model":"m","mess\\u0061ges":${list(maxJsonItems + 1, '{}')},"z":1}`;
  expect(scanJson(text).exceeded).toMatchObject({ bound: 'items', member: 'messages' });
});

test('the keys of the top level are listed as often as they occur, and no others', () => {
  const text = '{"a":{"b":1,"a":2},"c":["d",{"e":1}],"\\u0061":":","f":"g" , "a" : 1}';
  expect(scanJson(text).keys).toEqual(['a', 'c', 'a', 'f', 'a']);
});

test.each(['', '{', ']]]]', '"', '"\\', '{"a" 1}', '[1 2 3', ':::'])(
  'a text that is no JSON is read to its end: %s',
  text => {
    expect(scanJson(text).exceeded).toBeUndefined();
  },
);

test('strings are passed over whole, whatever they hold', () => {
  const inside = ['\\"', '\\\\', '[{', '"'].join('x').repeat(5_000);
  expect(scanJson(JSON.stringify({ a: inside, b: 1 }))).toMatchObject({ keys: ['a', 'b'], values: 3 });
});
