import type { GenerateEvent } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { hasLarge, splitLarge } from './split-large.ts';

const delta = (text: string): GenerateEvent => ({ type: 'part-delta', index: 1, choice: 2, text });

test.each([0, 1])(
  'a large delta is split into well-formed pieces that add up to it, from offset %i',
  offset => {
    const text = `${'x'.repeat(offset)}${'😀'.repeat(200_000)}`;
    const start: GenerateEvent = { type: 'start', id: 'a', model: 'm' };
    expect(hasLarge([start, delta(text)])).toBe(true);
    const [first, ...split] = [...splitLarge([start, delta(text)])];
    expect(first).toEqual(start);
    expect(split.length).toBeGreaterThan(2);
    expect(split.every(event => event.type === 'part-delta' && event.text.isWellFormed())).toBe(true);
    expect(split.map(event => (event.type === 'part-delta' ? event.text : '')).join('')).toBe(text);
    expect(split[1]).toMatchObject({ index: 1, choice: 2 });
  },
);

test('a small delta is not split', () => {
  expect(hasLarge([delta('x')])).toBe(false);
  expect([...splitLarge([delta(''), delta('x')])]).toEqual([delta(''), delta('x')]);
});
