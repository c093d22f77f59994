import type { GenerateEvent } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { joinDeltas } from './join-deltas.ts';

const delta = (index: number, text: string, choice?: number): GenerateEvent => ({
  type: 'part-delta',
  index,
  text,
  ...(choice && { choice }),
});
const end: GenerateEvent = { type: 'part-end', index: 0 };

test('adjacent deltas of one part are joined, and other events keep their place', () => {
  const events = [delta(0, 'a'), delta(0, 'b'), delta(0, 'c'), end, delta(1, 'd'), delta(1, 'e')];
  expect(joinDeltas(events)).toEqual([delta(0, 'abc'), end, delta(1, 'de')]);
});

test('deltas of different parts or choices are not joined, and the input is not changed', () => {
  const events = [delta(0, 'a'), delta(1, 'b'), delta(0, 'c'), delta(0, 'd', 1), delta(0, 'e', 2)];
  const before = structuredClone(events);
  expect(joinDeltas(events)).toEqual(before);
  expect(events).toEqual(before);
});
