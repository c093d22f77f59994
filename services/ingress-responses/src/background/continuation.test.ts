import { describe, expect, test } from 'vitest';
import { Continuation } from './continuation.ts';

const event = (type: string, number: number, rest: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...rest })}\n\n`;
const place = { item_id: 'm', output_index: 0 };
/** The events of a response whose text is split into these deltas. */
function answer(pieces: string[]): string[] {
  let number = 2;
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

/** A retry after some events were written, and what it adds to them. */
function retried(written: string[], events: string[], next = 2 + written.length) {
  const continuation = new Continuation(written, next);
  const more = events.map(event => continuation.push(event)).join('');
  return { continuation, more };
}

describe('a retry of a text response', () => {
  test.each([0, 1, 2, 3, 4, 5])(
    'a retry continues after %i events, however its text is split into deltas',
    count => {
      const written = answer(all).slice(0, count);
      for (const pieces of [all, ['O', 'ne two th', 'ree four'], ['One two three four'], [...all.join('')]]) {
        const { continuation, more } = retried(written, answer(pieces));
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
    const { continuation, more } = retried(answer(all).slice(0, 4), answer(pieces));
    expect([more, continuation.diverged]).toEqual(['', true]);
  });
});

describe('an upstream that assigns new ids in each attempt', () => {
  const attempt = (name: string, size = 3): string[] => {
    const reasoning = {
      type: 'reasoning',
      id: `rs_${name}`,
      summary: [],
      encrypted_content: `sealed-${name}`,
    };
    const call = { type: 'function_call', id: `fc_${name}`, call_id: `call_${name}`, name: 'f' };
    const place = { item_id: call.id, output_index: 1 };
    const text = '{"city":"Oslo"}';
    const pieces = text.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
    const events: [string, object][] = [
      ['in_progress', { response: { status: 'in_progress', random: name } }],
      ['output_item.added', { output_index: 0, item: { ...reasoning, encrypted_content: '' } }],
      ['output_item.done', { output_index: 0, item: reasoning }],
      ['output_item.added', { output_index: 1, item: { ...call, arguments: '' } }],
      ...pieces.map((delta): [string, object] => ['function_call_arguments.delta', { ...place, delta }]),
      ['function_call_arguments.done', { ...place, arguments: text }],
      ['output_item.done', { output_index: 1, item: { ...call, arguments: text } }],
    ];
    return events.map(([type, rest], i) => event(`response.${type}`, 2 + i, rest));
  };
  const reasoned = { type: 'reasoning', id: 'rs_b', encrypted_content: 'sealed-b' };
  const called = { type: 'function_call', id: 'fc_b', call_id: 'call_b' };
  const response = JSON.stringify({ output: [reasoned, called] });

  test.each([1, 2, 3, 4, 5, 6, 8, 9])(
    'a retry continues after %i events with the ids that were sent',
    count => {
      const written = attempt('a').slice(0, count);
      const { continuation, more } = retried(written, attempt('b', 4));
      const { output } = JSON.parse(continuation.end(response));
      expect(continuation.diverged).toBe(false);
      const sent = written.join('');
      const [rs, fc] = ['rs', 'fc'].map(id => (sent.includes(`${id}_a`) ? 'a' : 'b'));
      expect(sent + more).not.toContain(`rs_${rs === 'a' ? 'b' : 'a'}"`);
      expect(sent + more).not.toContain(`fc_${fc === 'a' ? 'b' : 'a'}"`);
      // A signature is valid only for the id that it was made with.
      const signature = count === 2 ? undefined : `sealed-${rs}`;
      expect(output).toMatchObject([{ id: `rs_${rs}` }, { id: `fc_${fc}`, call_id: `call_${fc}` }]);
      expect(output[0].encrypted_content).toBe(signature);
    },
  );

  test('a keepalive event is not compared with the retry', () => {
    const written = [...answer(all).slice(0, 3), event('keepalive', 5, {})];
    const { continuation, more } = retried(written, answer(all), 6);
    expect([continuation.diverged, numbers(more)[0]]).toEqual([false, 6]);
  });

  test('a retry that ends before the events that were sent diverges', () => {
    const { continuation } = retried(attempt('a'), attempt('b').slice(0, 3), 20);
    expect(continuation.diverged).toBe(false);
    continuation.end('{"output":[]}');
    expect(continuation.diverged).toBe(true);
  });
});
