import { describe, expect, test } from 'vitest';
import { Continuation } from './continuation.ts';

const event = (type: string, number: number, rest: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...rest })}\n\n`;
const place = { item_id: 'm', output_index: 0 };
/** An answer whose text comes in these pieces. */
function answer(pieces: string[], first = 2): string[] {
  let number = first;
  return [
    event('response.output_item.added', number++, { output_index: 0, item: { id: 'm' } }),
    ...pieces.map(delta => event('response.output_text.delta', number++, { ...place, delta })),
    event('response.output_text.done', number++, { ...place, text: pieces.join('') }),
  ];
}
const all = ['One ', 'two ', 'three ', 'four'];
const numbers = (text: string) => [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, n]) => Number(n));
const deltas = (events: string) =>
  [...events.matchAll(/"delta":"([^"]*)"/g)].map(([, text]) => text).join('');

describe('another attempt', () => {
  test.each([0, 1, 2, 3, 4, 5])('goes on after %i events, in whatever pieces its text comes', count => {
    const written = answer(all).slice(0, count);
    for (const pieces of [all, ['O', 'ne two th', 'ree four'], ['One two three four'], [...all.join('')]]) {
      const continuation = new Continuation(written, 2 + count);
      const more = answer(pieces)
        .map(told => continuation.push(told))
        .join('');
      expect(continuation.diverged).toBe(false);
      expect(deltas(written.join('') + more)).toBe(all.join(''));
      expect(numbers(more)).toEqual(numbers(more).map((_, i) => 2 + count + i));
      expect(more.endsWith(`"text":"${all.join('')}"}\n\n`)).toBe(true);
    }
  });

  test.each([
    ['another text', ['One ', 'too ', 'three']],
    ['a shorter one', ['One ']],
  ])('that says %s is another answer', (_what, pieces) => {
    const continuation = new Continuation(answer(all).slice(0, 4), 6);
    const more = answer(pieces)
      .map(told => continuation.push(told))
      .join('');
    expect(more).toBe('');
    expect(continuation.diverged).toBe(true);
  });
});
