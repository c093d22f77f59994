import type { GenerateEvent } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { type DeliveredCall, Delivery, hasLarge, inBatches, joinDeltas, splitLarge } from './delivery.ts';

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

const largeDelta = (text: string): GenerateEvent => ({ type: 'part-delta', index: 1, choice: 2, text });

test.each([0, 1])(
  'a large delta is split into well-formed pieces that add up to it, from offset %i',
  offset => {
    const text = `${'x'.repeat(offset)}${'😀'.repeat(200_000)}`;
    const start: GenerateEvent = { type: 'start', id: 'a', model: 'm' };
    expect(hasLarge([start, largeDelta(text)])).toBe(true);
    const [first, ...split] = [...splitLarge([start, largeDelta(text)])];
    expect(first).toEqual(start);
    expect(split.length).toBeGreaterThan(2);
    expect(split.every(event => event.type === 'part-delta' && event.text.isWellFormed())).toBe(true);
    expect(split.map(event => (event.type === 'part-delta' ? event.text : '')).join('')).toBe(text);
    expect(split[1]).toMatchObject({ index: 1, choice: 2 });
  },
);

test('large audio is split into pieces that add up to it, the first with the media type', () => {
  const bytes = Buffer.alloc(300_000, 'audio');
  const audio: GenerateEvent = { type: 'audio', bytes, mediaType: 'audio/mpeg' };
  expect(hasLarge([audio])).toBe(true);
  const split = [...splitLarge([audio])];
  expect(split.map(event => 'mediaType' in event)).toEqual([true, false, false]);
  expect(Buffer.concat(split.flatMap(event => (event.type === 'audio' ? [event.bytes] : [])))).toEqual(bytes);
});

test('a small delta is not split', () => {
  expect(hasLarge([largeDelta('x')])).toBe(false);
  expect([...splitLarge([largeDelta(''), largeDelta('x')])]).toEqual([largeDelta(''), largeDelta('x')]);
});

test('many small events are sent in few batches, and large ones in batches of their own', () => {
  const small = Array.from({ length: 10_000 }, (_, i) => delta(i, 'x'.repeat(50)));
  const events = [...small, largeDelta('y'.repeat(300_000)), end];
  const batches = [...inBatches(events)];
  expect(batches.length).toBeLessThan(30);
  expect(joinDeltas(batches.flat())).toEqual(events);
  for (const batch of batches) expect(JSON.stringify(batch).length).toBeLessThan(256 * 1024);
});

test('thousands of events of a stream are sent in several batches, since a client may get several for each', () => {
  const events = Array.from({ length: 5_000 }, (_, i) => delta(i, 'x'));
  expect(new Delivery({} as DeliveredCall, true).isLarge(events)).toBe(true);
  const batches = [...inBatches(events)];
  expect(batches.length).toBe(10);
  expect(batches.flat()).toEqual(events);
  expect(new Delivery({} as DeliveredCall, true).isLarge(events.slice(0, 100))).toBe(false);
});
