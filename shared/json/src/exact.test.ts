import { expect, test } from 'vitest';
import { exactMembers, exactMembersInSteps, parseExact } from './parse-in-steps.ts';

test.each([
  '{"id":9007199254740993,"deep":[{"n":-123456789012345678901234567890}]}',
  '{"a":1.0,"b":1e400,"c":0.1000000000000000055,"d":-0}',
  '{"s":"9007199254740993","t":true,"n":null,"i":1,"f":0.5}',
  '[12345678901234567890]',
  '9007199254740993',
])('parseExact keeps the numbers of %s', text => {
  expect(JSON.stringify(parseExact(text))).toBe(text);
});

test('parseExact returns plain numbers where JavaScript represents them exactly', () => {
  expect(parseExact('{"a":9007199254740991,"b":1.5,"text":"1234567890123456"}')).toEqual({
    a: 9007199254740991,
    b: 1.5,
    text: '1234567890123456',
  });
});

test('parseExact keeps the key __proto__', () => {
  const text = '{"n":12345678901234567890,"__proto__":{"a":1}}';
  expect(JSON.stringify(parseExact(text))).toBe(text);
});

test('exactMembers parses only the requested members', () => {
  const text = '{"a":{"n":12345678901234567890},"b":12345678901234567890,"é":"é"}';
  const members = exactMembers(text, ['a', 'é', 'none']);
  expect(JSON.stringify(members)).toBe('{"a":{"n":12345678901234567890},"é":"é"}');
});

test('parseExact takes keys and numbers of any length', () => {
  const text = `{"${'k'.repeat(2_000)}":${'1'.repeat(2_000)}}`;
  expect(JSON.stringify(parseExact(text))).toBe(text);
});

test('members are exact in steps that begin within an object of long keys', async () => {
  const key = 'a_'.repeat(600);
  const text = `{"a":{"b":{"${key}1":12345678901234567890,"${key}2":1}}}`;
  const members = await exactMembersInSteps(text, ['a'], async () => {}, 10);
  expect(JSON.stringify(members)).toBe(text);
});

test('parseExact throws for JSON that nests too deep', () => {
  expect(() => parseExact('['.repeat(600) + ']'.repeat(600))).toThrow(SyntaxError);
});

test('parseExact throws for text that is not JSON', () => {
  expect(() => parseExact('{"a":12345678901234567')).toThrow(SyntaxError);
});
