import { expect, test } from 'vitest';
import { afterReceived, afterSent } from './received.ts';
import { parseServerEvent } from './server-event.ts';
import { noSession, type SessionState } from './session-state.ts';

/** Receives events, 100 ms after each other. */
function received(events: Record<string, unknown>[], from: SessionState = noSession): SessionState {
  return events.reduce<SessionState>((state, event, place) => {
    const text = JSON.stringify(event);
    return afterReceived(state, parseServerEvent(text), text, (place + 1) * 100);
  }, from);
}

const answer = { id: 'a', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
const usage = { input_tokens: 10, output_tokens: 4 };

test('a written turn and its answer are a conversation, with what the response used and its times', () => {
  const asked = afterSent(noSession, { type: 'response.create' }, '{}', 50);
  const content = [{ type: 'input_text', text: 'Hello' }];
  const { entries, responding } = received(
    [
      { type: 'conversation.item.added', item: { id: 'u', type: 'message', role: 'user', content } },
      { type: 'response.created', response: { id: 'r' } },
      { type: 'conversation.item.added', item: answer },
      { type: 'response.output_text.delta', item_id: 'a', delta: 'Good ' },
      { type: 'response.output_text.delta', item_id: 'a', delta: 'day' },
      { type: 'response.output_item.done', item: { ...answer, status: 'completed' } },
      { type: 'response.done', response: { id: 'r', status: 'completed', status_details: null, usage } },
    ],
    asked,
  );
  expect(entries).toEqual([
    { type: 'message', id: 'u', role: 'user', text: 'Hello', spoken: false, state: 'done' },
    { type: 'message', id: 'a', role: 'assistant', text: 'Good day', spoken: false, state: 'done' },
    { type: 'response', id: 'r', status: 'completed', reason: undefined, usage, firstMs: 350, totalMs: 650 },
  ]);
  expect(responding).toBeUndefined();
});

test('a spoken turn has its transcript, even after the answer began; a cancelled answer is cut', () => {
  const heard = {
    id: 'u',
    type: 'message',
    role: 'user',
    content: [{ type: 'input_audio', transcript: null }],
  };
  const { entries } = received([
    { type: 'conversation.item.added', item: heard },
    { type: 'response.created', response: { id: 'r' } },
    { type: 'conversation.item.added', item: answer },
    { type: 'response.output_audio.delta', item_id: 'a', delta: 'AAAA' },
    { type: 'conversation.item.input_audio_transcription.completed', item_id: 'u', transcript: 'What?' },
    { type: 'response.output_audio_transcript.delta', item_id: 'a', delta: 'Well' },
    { type: 'response.output_item.done', item: { ...answer, status: 'incomplete' } },
    {
      type: 'response.done',
      response: { id: 'r', status: 'cancelled', status_details: { reason: 'turn_detected' }, usage: null },
    },
  ]);
  expect(entries.slice(0, 2)).toEqual([
    { type: 'message', id: 'u', role: 'user', text: 'What?', spoken: true, state: 'done' },
    { type: 'message', id: 'a', role: 'assistant', text: 'Well', spoken: true, state: 'cut' },
  ]);
  expect(entries[2]).toMatchObject({ status: 'cancelled', reason: 'turn_detected', usage: undefined });
});

test('an error is an entry, and a message that is no event is kept as it came', () => {
  const state = received([{ type: 'error', error: { message: 'No.', code: 'invalid_value' } }]);
  const next = afterReceived(state, parseServerEvent('nonsense'), 'nonsense', 200);
  expect(next.entries).toEqual([{ type: 'error', message: 'No.', code: 'invalid_value' }]);
  expect(next.log.events.at(-1)).toMatchObject({ type: 'not an event', data: 'nonsense' });
});

test('the log is bounded, and pieces of audio that follow each other are one entry', () => {
  let state = received(Array.from({ length: 1_200 }, () => ({ type: 'rate_limits.updated' })));
  expect([state.log.events.length, state.log.dropped]).toEqual([1_000, 200]);
  for (let piece = 0; piece < 5; piece += 1)
    state = afterSent(state, { type: 'input_audio_buffer.append' }, '{"audio":"AAAA"}', 1);
  expect([state.log.events.length, state.log.events.at(-1)?.count]).toEqual([1_000, 5]);
});
