import { describe, expect, test } from 'vitest';
import { duplicateKey, type Edit, spliceTopLevel, topLevelSpans } from './json-text.ts';

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

  test('an empty object has none, and an escaped key is read as what it means', () => {
    expect(topLevelSpans('{}')).toEqual([]);
    expect(topLevelSpans('{"mod\\u0065l":1}')[0]?.key).toBe('model');
  });

  test('a key given twice is found, however it is spelled', () => {
    expect(duplicateKey(topLevelSpans('{"model":1,"x":2,"mod\\u0065l":3}'))).toBe('model');
    expect(duplicateKey(topLevelSpans('{"model":1,"x":{"model":2}}'))).toBeUndefined();
  });
});

describe('spliceTopLevel', () => {
  test('leaves big integers, key order and text beyond ASCII as they were', () => {
    const text = '{"seed": 12345678901234567890,"model": "a","messages": [ {"content":"žluť 🐎"}]}';
    expect(splice(text, { model: '"b"' })).toBe(text.replace('"a"', '"b"'));
  });

  test('adds what is absent, also to an empty object', () => {
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
  ])('%s with %j is %s', (text, edits, expected) => {
    expect(JSON.parse(splice(text, edits))).toEqual(JSON.parse(expected));
  });

  test('an edit may look at what was there', () => {
    const edit = (current: string | undefined) => `[${current ?? 'absent'}]`;
    expect(splice('{"a":"ž"}', { a: edit, b: edit })).toBe('{"a":["ž"],"b":[absent]}');
  });

  test('a key that every JavaScript object inherits is a key like any other', () => {
    expect(splice('{"constructor":1,"__proto__":2,"a":3}', { a: '4' })).toBe(
      '{"constructor":1,"__proto__":2,"a":4}',
    );
  });

  test('an absent key cannot be removed', () => {
    expect(splice('{"a":1}', { b: null })).toBe('{"a":1}');
  });
});
