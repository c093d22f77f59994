import { expect, test } from 'vitest';
import { exactMembers, parseExact } from './exact-json.ts';

test.each([
  '{"id":9007199254740993,"deep":[{"n":-123456789012345678901234567890}]}',
  '{"a":1.0,"b":1e400,"c":0.1000000000000000055,"d":-0}',
  '{"s":"9007199254740993","t":true,"n":null,"i":1,"f":0.5}',
  '[12345678901234567890]',
  '9007199254740993',
])('numbers of %s come out as they went in', text => {
  expect(JSON.stringify(parseExact(text))).toBe(text);
});

test('numbers that do not change are numbers', () => {
  expect(parseExact('{"a":9007199254740991,"b":1.5,"text":"1234567890123456"}')).toEqual({
    a: 9007199254740991,
    b: 1.5,
    text: '1234567890123456',
  });
});

test('a key is kept that an object has by itself', () => {
  const text = '{"n":12345678901234567890,"__proto__":{"a":1}}';
  expect(JSON.stringify(parseExact(text))).toBe(text);
});

test('of an object only the members that are asked for are read exactly', () => {
  const text = '{"a":{"n":12345678901234567890},"b":12345678901234567890,"é":"é"}';
  const members = exactMembers(text, ['a', 'é', 'none']);
  expect(JSON.stringify(members)).toBe('{"a":{"n":12345678901234567890},"é":"é"}');
});

test('what nests too deep is read by nobody', () => {
  expect(() => parseExact('['.repeat(600) + ']'.repeat(600))).toThrow(SyntaxError);
});

test('what is not JSON is none', () => {
  expect(() => parseExact('{"a":12345678901234567')).toThrow(SyntaxError);
});
