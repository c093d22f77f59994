import { describe, expect, test } from 'vitest';
import type { AnswerEvent } from './answer-event.ts';
import { noConversation, pathOf, pathTo, siblingsOf } from './conversation.ts';
import { historyOf } from './history.ts';
import type { AnswerPart, QuestionPart } from './part.ts';
import { type Change, reduce, resumed } from './reduce.ts';
import type { Answer, Question, Turn } from './turn.ts';

const text = (text: string) => ({ type: 'text', text }) as const;
const question = (id: number, parent: number | null, ...parts: QuestionPart[]): Question => ({
  ...{ role: 'user', id, parent },
  parts,
});
const answer = (id: number, parent: number, more: Partial<Answer> = {}): Answer => ({
  ...{ role: 'assistant', id, parent, format: 'chat', model: 'm' },
  parts: [],
  state: 'running',
  ...more,
});
const after = (...changes: Change[]) => changes.reduce(reduce, noConversation);
const added = (...turns: Turn[]): Change => ({ type: 'added', turns });
const asked = added(question(1, null, text('Hi')), answer(2, 1));

describe('an answer', () => {
  test('is made of its events, with its times', () => {
    const told: AnswerEvent[] = [
      { type: 'delta', index: 0, text: 'lo' },
      { type: 'finish', reason: 'stop', raw: 'stop' },
      { type: 'usage', usage: { input: 1, output: 2 } },
    ];
    const changed = after(
      asked,
      { type: 'accepted', id: 2, served: { requestId: 'req_1', target: 'p/m' } },
      { type: 'events', id: 2, ms: 40, events: [{ type: 'part', index: 0, part: text('Hel') }] },
      { type: 'events', id: 2, ms: 50, events: told },
      { type: 'ended', id: 2, state: 'done', ms: 70 },
    );
    expect(changed.turns[1]).toEqual(
      answer(2, 1, {
        ...{ parts: [text('Hello')], state: 'done', requestId: 'req_1', target: 'p/m', finish: 'stop' },
        ...{ finishRaw: 'stop', usage: { input: 1, output: 2 }, firstTokenMs: 40, totalMs: 70 },
      }),
    );
  });

  test('that has ended or is gone does not change', () => {
    const events: AnswerEvent[] = [{ type: 'part', index: 0, part: text('late') }];
    const late: Change = { type: 'events', id: 2, ms: 9, events };
    const stopped = after(asked, { type: 'ended', id: 2, state: 'stopped', ms: 1 });
    expect(reduce(stopped, late)).toEqual(stopped);
    expect(reduce(noConversation, late)).toEqual(noConversation);
  });

  test('that ran when the page was closed is cut off', () => {
    expect(resumed(after(asked)).turns[1]).toMatchObject({ state: 'failed', failure: { code: 'cut_off' } });
  });
});

test('an edit and a retry make branches, and each can be shown', () => {
  const tree = after(
    asked,
    { type: 'ended', id: 2, state: 'done', ms: 1 },
    added(answer(3, 1)),
    added(question(4, 3, text('More')), answer(5, 4)),
    added(question(6, null, text('Other')), answer(7, 6)),
  );
  const shown = (conversation = tree) => pathOf(conversation).map(({ id }) => id);
  expect(shown()).toEqual([6, 7]);
  const first = reduce(tree, { type: 'chosen', id: 1 });
  expect(shown(first)).toEqual([1, 3, 4, 5]);
  expect(shown(reduce(first, { type: 'chosen', id: 2 }))).toEqual([1, 2]);
  expect(siblingsOf(tree, tree.turns[1] as Turn)).toEqual([2, 3]);
  expect(siblingsOf(tree, tree.turns[0] as Turn)).toEqual([1, 6]);
  expect(pathTo(tree, 5).map(({ id }) => id)).toEqual([1, 3, 4, 5]);
});

describe('the turns that are sent', () => {
  const done = (id: number, parent: number, ...parts: AnswerPart[]) =>
    answer(id, parent, { state: 'done', parts });
  const call = (id: string): AnswerPart => ({ type: 'tool-call', id, name: 'f', arguments: '{}' });
  const result = (callId: string): QuestionPart => ({
    ...{ type: 'tool-result', callId, name: 'f', text: 'r', isError: false },
  });

  test('leave out what failed, and join what follows it', () => {
    const failed = answer(2, 1, { state: 'failed', parts: [text('half')] });
    expect(historyOf([question(1, null, text('a')), failed, question(3, 2, text('b'))])).toEqual([
      { role: 'user', parts: [text('a'), text('b')] },
    ]);
  });

  test('have a result for each call, before anything else', () => {
    const sent = historyOf([
      question(1, null, text('a')),
      done(2, 1, text('t'), call('1'), call('2')),
      question(3, 2, text('b'), result('1'), result('gone')),
      done(4, 3, { type: 'reasoning', text: 'only' }),
    ]);
    expect(sent).toEqual([
      { role: 'user', parts: [text('a')] },
      { role: 'assistant', parts: [text('t'), call('1')] },
      { role: 'user', parts: [result('1'), text('b')] },
    ]);
  });
});
