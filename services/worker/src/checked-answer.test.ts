import { type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { finish, partEvents, refusal } from '@model-gateway/canonical/testing/events';
import { expect, test } from 'vitest';
import { CheckedAnswer } from './checked-answer.ts';

const start: GenerateEvent = { type: 'start', id: 'x', model: 'm' };
const text = partEvents(0, { type: 'text' }, ['Hi']);
const checked = (...events: unknown[]) => new CheckedAnswer().check(events as GenerateEvent[]);

test('a good answer is passed as it is', () => {
  const events = [start, ...text, finish()];
  expect(new CheckedAnswer().check(events)).toBe(events);
});

test.each([
  [
    { type: 'start', id: 12345, model: 'm' },
    { id: '12345', model: 'm' },
  ],
  [
    { type: 'start', id: 12345678901234567890n, model: null },
    { id: '12345678901234567890', model: '' },
  ],
  [
    { type: 'start', id: {}, model: ['m'] },
    { id: '', model: '' },
  ],
])('ids and names of another type become text: %o', (event, expected) => {
  expect(checked(event)).toEqual([{ type: 'start', ...expected }]);
});

test('the end has texts and counts', () => {
  const usage = { input: 'many', output: Number.NaN, reasoning: -1, cachedInput: 3 };
  const [event] = checked({ ...finish(), raw: 5, stopSequence: {}, explanation: 'No.', usage });
  expect(event).toMatchObject({ raw: '5', explanation: 'No.' });
  expect(event).not.toHaveProperty('stopSequence');
  expect(event).toMatchObject({
    usage: { input: 0, output: 0, reasoning: 0, cachedInput: 3, audioOutput: 0 },
  });
});

test('an answer without content that was cut for a reason of its own is none, unless its bytes are passed on', () => {
  const cut = finish('other', { raw: 'MALFORMED_RESPONSE' });
  const message = 'The upstream sent an empty response with the finish reason MALFORMED_RESPONSE.';
  expect(refusal(() => checked(start, cut))).toMatchObject({ kind: 'upstream', message });
  expect(refusal(() => checked(cut))).toMatchObject({ kind: 'upstream', message });
  const bytes: GenerateEvent = { type: 'verbatim', bytes: Buffer.from('{}') };
  for (const events of [
    [start, ...text, cut],
    [bytes, cut],
    [start, finish('length')],
  ])
    expect(checked(...events)).toEqual(events);
});

test('the first event of an answer may be repeated, another answer in it may not begin', () => {
  expect(checked(start, start, ...text)).toEqual([start, ...text]);
  expect(checked(start, ...text, start)).toEqual([start, ...text]);
  const nameless = { ...start, id: '' };
  expect(checked(nameless, nameless, ...text)).toEqual([nameless, ...text]);
  const two = 'The upstream sent two answers in place of one.';
  const other = { ...start, id: 'y' };
  expect(refusal(() => checked(start, other))).toMatchObject({ kind: 'upstream', message: two });
  expect(refusal(() => checked(start, ...text, other))).toMatchObject({ kind: 'upstream', message: two });
  expect(refusal(() => checked(nameless, ...text, nameless))).toMatchObject({ message: two });
});

test.each([
  ['a text that is no string', [start, text[0], { type: 'part-delta', index: 0, text: 7 }]],
  ['a part that begins again', [start, ...text, text[0]]],
  ['a part that is left out', [start, { ...text[0], index: 1 }]],
  ['a part that goes on before it begins', [start, text[1]]],
  ['a part that ends before it begins', [start, text[2]]],
  ['an index that is no number', [start, { ...text[0], index: '0' }]],
  ['a choice that is no index', [start, { ...text[0], choice: -1 }]],
  ['a choice far away', [start, { ...text[0], choice: 1e9 }]],
  ['the end of no choice', [start, { type: 'choice-end', choice: 0.5, reason: 'stop', raw: null }]],
  ['a call without a name', [start, ...partEvents(0, { type: 'tool-call', id: 'c', name: {} } as never)]],
])('%s is the fault of the upstream', (_, events) => {
  expect(refusal(() => checked(...events))).toMatchObject({ kind: 'upstream' });
});

test('a usage that the request cannot have had is left out, and kept beside', () => {
  const usage = (input: number, output: number) => ({ ...noUsage, input, output, raw: { input, output } });
  for (const absurd of [usage(2 ** 53 - 1, 1), usage(1, 1e300), usage(20_000_000, 0)]) {
    const answer = new CheckedAnswer();
    answer.sent = 1_000;
    expect(answer.check([start, ...text, finish('stop', { usage: absurd })]).at(-1)).toMatchObject({
      usage: null,
    });
    expect(answer.impossible).toEqual(absurd);
  }
  const answer = new CheckedAnswer();
  answer.sent = 1_000;
  const stored = finish('stop', { usage: usage(1_000_000, 100_000) });
  expect(answer.check([start, ...text, stored]).at(-1)).toBe(stored);
});
