import { expect, test } from 'vitest';
import { type JsonScalar, joinScalars, splitScalars } from './scalars.ts';

/** Rewrites the scalars of a JSON text. */
function rewrite(text: string, change: (scalar: JsonScalar) => string, omitted: string[] = []): string {
  const pieces = splitScalars(text, new Set(omitted));
  const scalars = pieces.filter(piece => typeof piece !== 'string');
  const original = scalars.map(({ value }) => value);
  for (const scalar of scalars) scalar.value = change(scalar);
  return joinScalars(pieces, original);
}

const odd = ' { "a\\u0062" : [1, -2.5e+3 ,"\\"x\\\\" , true,null], "n":12345678901234567890 }\n';

test('a text whose scalars stay is the same, byte for byte', () => {
  expect(rewrite(odd, ({ value }) => value)).toBe(odd);
});

test('more numbers than a call takes arguments are split', () => {
  const text = `[${'1,'.repeat(150_000)}1]`;
  expect(rewrite(text, ({ value }) => value)).toBe(text);
});

test('strings are unescaped, and numbers are texts', () => {
  const scalars = splitScalars(odd).filter(piece => typeof piece !== 'string');
  expect(scalars.map(({ value }) => value)).toEqual([
    'ab',
    '1',
    '-2.5e+3',
    '"x\\',
    'n',
    '12345678901234567890',
  ]);
});

test('a value has the name of its member; a name and an item of a list have none', () => {
  const scalars = splitScalars('{"a":"b","c":["d",{"e" : 5}]}').filter(piece => typeof piece !== 'string');
  expect(scalars.map(({ value, name }) => [value, name])).toEqual([
    ['a', undefined],
    ['b', 'a'],
    ['c', undefined],
    ['d', undefined],
    ['e', undefined],
    ['5', 'e'],
  ]);
});

test('a scalar that changes becomes a string', () => {
  const changed = rewrite('{"card":4111,"t":"\\u00fcx"}', ({ value }) => value.replace(/4111|ü/, '"'));
  expect(JSON.parse(changed)).toEqual({ card: '"', t: '"x' });
});

test('objects and lists of omitted members are replaced, whatever they hold', () => {
  const text = '{"logprobs" : {"a":["}",{"b":1}]},"c":{"logprobs":true},"logprobs":["x"]}';
  const changed = rewrite(text, ({ value }) => value, ['logprobs']);
  expect(JSON.parse(changed)).toEqual({ logprobs: '[omitted]', c: { logprobs: true } });
});

test.each(['{"a":"b\\u00', '{"a":"b\\', '{"a":"b', '{"a":"', '{"a', '{"logprobs":[1,'])(
  'the end of %s may be missing',
  text => {
    expect(rewrite(text, ({ value }) => value)).toBe(text);
    expect(() => rewrite(text, ({ value }) => `${value}!`, ['logprobs'])).not.toThrow();
  },
);

test('a string that is cut off has no closing quote once it is changed', () => {
  expect(rewrite('{"a":"bcd\\u00', ({ value, cut }) => (cut ? value.replace('c', '-') : value))).toBe(
    '{"a":"b-d',
  );
});
