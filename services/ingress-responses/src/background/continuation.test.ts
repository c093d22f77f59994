import { describe, expect, test } from 'vitest';
import { Continuation } from './continuation.ts';

const event = (type: string, number: number, rest: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...rest })}\n\n`;
const place = { item_id: 'm', output_index: 0 };
/** The events of a response whose text is split into these deltas. */
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

describe('a retry of a text response', () => {
  test.each([0, 1, 2, 3, 4, 5])(
    'a retry continues after %i events, however its text is split into deltas',
    count => {
      const written = answer(all).slice(0, count);
      for (const pieces of [all, ['O', 'ne two th', 'ree four'], ['One two three four'], [...all.join('')]]) {
        const continuation = new Continuation(written, 2 + count);
        const more = answer(pieces)
          .map(event => continuation.push(event))
          .join('');
        expect(continuation.diverged).toBe(false);
        expect(deltas(written.join('') + more)).toBe(all.join(''));
        expect(numbers(more)).toEqual(numbers(more).map((_, i) => 2 + count + i));
        expect(more.endsWith(`"text":"${all.join('')}"}\n\n`)).toBe(true);
      }
    },
  );

  test.each([
    ['different text', ['One ', 'too ', 'three']],
    ['shorter text', ['One ']],
  ])('a retry with %s diverges', (_what, pieces) => {
    const continuation = new Continuation(answer(all).slice(0, 4), 6);
    const more = answer(pieces)
      .map(event => continuation.push(event))
      .join('');
    expect(more).toBe('');
    expect(continuation.diverged).toBe(true);
  });
});

describe('an upstream that assigns new ids in each attempt', () => {
  const attempt = (name: string, first = 2, size = 3): string[] => {
    const reasoning = {
      type: 'reasoning',
      id: `rs_${name}`,
      summary: [],
      encrypted_content: `sealed-${name}`,
    };
    const call = { type: 'function_call', id: `fc_${name}`, call_id: `call_${name}`, name: 'f' };
    const place = { item_id: call.id, output_index: 1 };
    const text = '{"city":"Oslo"}';
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
      text.slice(i * size, (i + 1) * size),
    );
    const events: [string, object][] = [
      ['response.in_progress', { response: { status: 'in_progress', random: name } }],
      ['response.output_item.added', { output_index: 0, item: { ...reasoning, encrypted_content: '' } }],
      ['response.output_item.done', { output_index: 0, item: reasoning }],
      ['response.output_item.added', { output_index: 1, item: { ...call, arguments: '' } }],
      ...pieces.map(
        delta => ['response.function_call_arguments.delta', { ...place, delta }] as [string, object],
      ),
      ['response.function_call_arguments.done', { ...place, arguments: text }],
      ['response.output_item.done', { output_index: 1, item: { ...call, arguments: text } }],
    ];
    return events.map(([type, rest], i) => event(type, first + i, rest));
  };
  const response = (name: string) =>
    `{"output":[{"type":"reasoning","id":"rs_${name}","encrypted_content":"sealed-${name}"},{"type":"function_call","id":"fc_${name}","call_id":"call_${name}"}]}`;
  const outputOf = (text: string): { id: string; call_id?: string; encrypted_content?: string }[] =>
    JSON.parse(text).output;

  test.each([1, 2, 3, 4, 5, 6, 8, 9])(
    'a retry continues after %i events with the ids that were sent',
    count => {
      const written = attempt('a').slice(0, count);
      const continuation = new Continuation(written, 2 + count);
      const more = attempt('b', 2, 4)
        .map(event => continuation.push(event))
        .join('');
      const output = outputOf(continuation.end(response('b')));
      expect(continuation.diverged).toBe(false);
      const all = written.join('') + more;
      const isBegun = (id: string) => written.join('').includes(id);
      const name = (id: string) => (isBegun(`${id}_a`) ? 'a' : 'b');
      expect(all).not.toContain(`rs_${name('rs') === 'a' ? 'b' : 'a'}"`);
      expect(all).not.toContain(`fc_${name('fc') === 'a' ? 'b' : 'a'}"`);
      expect(output.map(({ id }) => id)).toEqual([`rs_${name('rs')}`, `fc_${name('fc')}`]);
      expect(output[1]?.call_id).toBe(`call_${name('fc')}`);
      // A signature is valid only for the id that it was made with.
      const signature = { a: 'sealed-a', b: 'sealed-b' }[isBegun('rs_a') ? 'a' : 'b'];
      expect(output[0]?.encrypted_content).toBe(count === 2 ? undefined : signature);
    },
  );

  test('a keepalive event is not compared with the retry', () => {
    const alive = event('keepalive', 5, {});
    const continuation = new Continuation([...answer(all).slice(0, 3), alive], 6);
    const more = answer(all)
      .map(event => continuation.push(event))
      .join('');
    expect(continuation.diverged).toBe(false);
    expect(numbers(more)[0]).toBe(6);
  });

  test('a retry that ends before the events that were sent diverges', () => {
    const continuation = new Continuation(attempt('a'), 20);
    for (const event of attempt('b').slice(0, 3)) continuation.push(event);
    expect(continuation.diverged).toBe(false);
    continuation.end('{"output":[]}');
    expect(continuation.diverged).toBe(true);
  });
});
