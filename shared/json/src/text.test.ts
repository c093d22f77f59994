import { describe, expect, test } from 'vitest';
import {
  ambiguousKey,
  duplicateKey,
  type Edit,
  KnownFields,
  listSpans,
  spliceTopLevel,
  topLevelSpans,
} from './text.ts';

const splice = (text: string, edits: Record<string, Edit>) =>
  spliceTopLevel(Buffer.from(text), new Map(Object.entries(edits))).toString();

describe('topLevelSpans', () => {
  test('finds members around nested values, escapes and spaces', () => {
    const text = ' { "a" : "x\\\\\\"}" , "b":[{"model":1},"]"],"c":-1.5e3 , "d":{"e":{}} }\n';
    expect(topLevelSpans(text).map(s => [s.key, text.slice(s.valueStart, s.valueEnd)])).toEqual([
      ['a', '"x\\\\\\"}"'],
      ['b', '[{"model":1},"]"]'],
      ['c', '-1.5e3'],
      ['d', '{"e":{}}'],
    ]);
  });

  test('returns nothing for an empty object, and unescapes keys', () => {
    expect(topLevelSpans('{}')).toEqual([]);
    expect(topLevelSpans('{"mod\\u0065l":1}')[0]?.key).toBe('model');
  });

  test('duplicateKey finds a key that occurs twice, escaped or not', () => {
    expect(duplicateKey(topLevelSpans('{"model":1,"x":2,"mod\\u0065l":3}'))).toBe('model');
    expect(duplicateKey(topLevelSpans('{"model":1,"x":{"model":2}}'))).toBeUndefined();
  });
});

describe('spliceTopLevel', () => {
  test('leaves big integers, key order and non-ASCII text unchanged', () => {
    const text = '{"seed": 12345678901234567890,"model": "a","messages": [ {"content":"žluť 🐎"}]}';
    expect(splice(text, { model: '"b"' })).toBe(text.replace('"a"', '"b"'));
  });

  test('adds absent members, also to an empty object', () => {
    expect(splice('{"a":1}', { b: '2' })).toBe('{"a":1,"b":2}');
    expect(splice('{ }', { b: '2', c: '{"d":1}' })).toBe('{"b":2,"c":{"d":1}}');
  });

  test.each([
    ['{"a":1,"b":2,"c":3}', { a: null }, '{"b":2,"c":3}'],
    ['{"a":1,"b":2,"c":3}', { b: null }, '{"a":1,"c":3}'],
    ['{"a":1,"b":2,"c":3}', { c: null }, '{"a":1,"b":2}'],
    ['{"a":1,"b":2,"c":3}', { b: null, c: null }, '{"a":1}'],
    ['{"a":1,"b":2}', { a: null, b: null }, '{}'],
    ['{"a":1}', { a: null, b: '2' }, '{"b":2}'],
    ['{"a":1,"b":2}', { a: '9', b: null, c: '3' }, '{"a":9,"c":3}'],
  ])('edits %s by %j to %s', (text, edits, expected) => {
    expect(JSON.parse(splice(text, edits))).toEqual(JSON.parse(expected));
  });

  test('an edit function receives the current text', () => {
    const edit = (current: string | undefined) => `[${current ?? 'absent'}]`;
    expect(splice('{"a":"ž"}', { a: edit, b: edit })).toBe('{"a":["ž"],"b":[absent]}');
  });

  test('keys that JavaScript objects inherit are ordinary keys', () => {
    expect(splice('{"constructor":1,"__proto__":2,"a":3}', { a: '4' })).toBe(
      '{"constructor":1,"__proto__":2,"a":4}',
    );
  });

  test('removing an absent key changes nothing', () => {
    expect(splice('{"a":1}', { b: null })).toBe('{"a":1}');
  });
});

const known = new KnownFields(['model', 'stream', 'maxTokens', 'k']);

test.each([
  [['model', 'MODEL'], 'names "MODEL", which may be read as "model"'],
  [['Model'], 'names "Model", which may be read as "model"'],
  [[' model'], 'names " model", which may be read as "model"'],
  [['\u017ftream'], 'names "ſtream", which may be read as "stream"'],
  [['\u212a'], 'names "\u212a", which may be read as "k"'],
  [['maxtokens'], 'names "maxtokens", which may be read as "maxTokens"'],
  [['other', 'Other'], 'names "Other", which may be read as "other"'],
  [['model', '\uff4dodel'], 'names "ｍodel", which may be read as "model"'],
  [['ＭＯＤＥＬ'], 'names "ＭＯＤＥＬ", which may be read as "model"'],
  [['model\u0000'], 'names "model\\u0000", which may be read as "model"'],
  [['mo\u007fdel'], 'names "mo\u007fdel", which may be read as "model"'],
  [['mo\u00addel'], 'names "mo\u00addel", which may be read as "model"'],
  [['\ufeffmodel'], 'names "\ufeffmodel", which may be read as "model"'],
  [['mode\u200bl\u3000'], 'names "mode\u200bl\u3000", which may be read as "model"'],
  [['m\u034fodel\ufe0f'], 'names "m\u034fodel\ufe0f", which may be read as "model"'],
  [['ﬁle', 'file'], 'names "file", which may be read as "ﬁle"'],
  [['model', 'x', 'model'], 'names "model" twice'],
])('%j is ambiguous', (keys, words) => {
  expect(ambiguousKey(keys, known)?.words).toBe(words);
});

test('keys that differ in more than case, blanks and what is not seen are not ambiguous', () => {
  const keys = ['model', 'stream', 'maxTokens', 'enableThinking', 'X-Extra', 'max_tokens', 'modell', 'módel'];
  expect(ambiguousKey(keys, known)).toBeUndefined();
});

test('the values of a list are found by their offsets', () => {
  const values = ['{"a":[1,{"b":"],}"}]}', '"x, \\"y\\""', '12.5e3', 'null', '[[],[]]'];
  const text = ` ${values.join(' ,\n\t')}  `;
  expect(listSpans(text).map(({ start, end }) => text.slice(start, end))).toEqual(values);
  expect(listSpans(values.join(',')).map(({ start, end }) => values.join(',').slice(start, end))).toEqual(
    values,
  );
  expect(listSpans('  ')).toEqual([]);
});
