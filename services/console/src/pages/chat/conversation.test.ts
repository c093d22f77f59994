import { describe, expect, test } from 'vitest';
import { Problem } from '../problem.ts';
import { type Answer, type ConversationEvent, conversation, messagesOf, type Turn } from './conversation.ts';

const question = (id: number, text: string): Turn => ({ role: 'user', id, text });
const answer = (id: number, more: Partial<Answer> = {}): Answer => ({
  role: 'assistant',
  id,
  model: 'm',
  text: '',
  reasoning: '',
  state: 'running',
  ...more,
});
const asked: Turn[] = [question(1, 'Hi'), answer(2)];
const after = (turns: Turn[], ...events: ConversationEvent[]) => events.reduce(conversation, turns);
const text = (id: number, text: string, ms: number): ConversationEvent => ({
  type: 'piece',
  id,
  piece: { type: 'text', text },
  ms,
});

describe('conversation', () => {
  test('assembles an answer and records the time of its first token', () => {
    const turns = after(
      asked,
      { type: 'accepted', id: 2, requestId: 'req_1' },
      text(2, 'Hel', 40),
      text(2, 'lo', 50),
      { type: 'piece', id: 2, piece: { type: 'finish', reason: 'stop' }, ms: 60 },
      { type: 'ended', id: 2, state: 'done', ms: 70 },
    );
    expect(turns[1]).toEqual(
      answer(2, {
        text: 'Hello',
        state: 'done',
        requestId: 'req_1',
        finishReason: 'stop',
        firstTokenMs: 40,
        totalMs: 70,
      }),
    );
  });

  test('keeps the text of an answer that fails', () => {
    const problem = new Problem('no');
    const turns = after(asked, text(2, 'Hel', 1), { type: 'ended', id: 2, state: 'failed', ms: 2, problem });
    expect(turns[1]).toMatchObject({ text: 'Hel', state: 'failed', problem });
  });

  test('ignores pieces for an answer that has ended or is gone', () => {
    const stopped = after(asked, { type: 'ended', id: 2, state: 'stopped', ms: 1 });
    expect(after(stopped, text(2, 'late', 2))).toEqual(stopped);
    expect(after([], text(2, 'late', 2))).toEqual([]);
  });

  test('replaces only the last answer on a retry', () => {
    const turns = [question(1, 'a'), answer(2), question(3, 'b'), answer(4, { state: 'failed' })];
    expect(after(turns, { type: 'asked-again', answer: answer(5) })).toEqual([
      ...turns.slice(0, 3),
      answer(5),
    ]);
  });
});

test('the model is sent questions and answers, without failed answers', () => {
  const turns = [
    question(1, 'a'),
    answer(2, { state: 'failed', text: 'half' }),
    question(3, 'b'),
    answer(4, { state: 'stopped', text: 'some' }),
    question(5, 'c'),
    answer(6),
  ];
  const sent = [
    { role: 'user', content: 'a' },
    { role: 'user', content: 'b' },
    { role: 'assistant', content: 'some' },
    { role: 'user', content: 'c' },
  ];
  expect(messagesOf(turns, '')).toEqual(sent);
  expect(messagesOf(turns, 'Be kind')).toEqual([{ role: 'system', content: 'Be kind' }, ...sent]);
});
