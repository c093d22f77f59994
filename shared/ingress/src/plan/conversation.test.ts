import type { ParsedGenerate } from '@model-gateway/formats/client';
import { expect, test } from 'vitest';
import { conversationOf, smallestCached } from './choose-routes.ts';

const request = (fields: Partial<ParsedGenerate>): ParsedGenerate => ({
  type: 'generate',
  model: 'm',
  stream: false,
  canonical: () => ({ messages: [] }),
  rendering: undefined,
  ...fields,
});
const body = (length: number) =>
  ({ type: 'text', text: Buffer.alloc(length), turn: async () => {} }) as const;
const large = body(smallestCached);
const turn = (text: string) => request({ firstTurn: () => [{ type: 'text', text }] });

test('turns with the same beginning are one conversation', () => {
  const one = conversationOf(turn('Hello'), {}, large);
  expect(one).toBeTypeOf('string');
  expect(conversationOf(turn('Hello'), {}, body(9 * smallestCached))).toBe(one);
  expect(conversationOf(turn('Goodbye'), {}, large)).not.toBe(one);
});

test('a request that is too small for a cache has no conversation, unless the client names one', () => {
  const small = body(smallestCached - 1);
  expect(conversationOf(turn('Hello'), {}, small)).toBeUndefined();
  expect(conversationOf(request({ cacheKey: 'a' }), {}, small)).toBe('a');
  expect(conversationOf(turn('Hello'), { 'x-session-id': 'b' }, small)).toBe('b');
});

test("the client's key comes before its session, and both before the first turn", () => {
  const named = { ...turn('Hello'), cacheKey: 'a' };
  expect(conversationOf(named, { 'session-id': 'b' }, large)).toBe('a');
  expect(conversationOf(turn('Hello'), { 'session-id': 'b' }, large)).toBe('b');
});

test('a large first turn is read in part', () => {
  const text = 'x'.repeat(1_000_000);
  expect(conversationOf(turn(text), {}, large)?.length).toBeLessThan(3_000);
});

test('other operations have no conversation', () => {
  const embed = { ...turn('Hello'), type: 'embed', canonical: () => ({}) } as never;
  expect(conversationOf(embed, { 'session-id': 'b' }, large)).toBeUndefined();
});
