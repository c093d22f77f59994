import { expect, test } from 'vitest';
import { messagesText } from './messages-text.ts';

const event = (type: string, fields: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const text = (text: string) => event('content_block_delta', { delta: { type: 'text_delta', text } });
const finish = event('message_delta', { delta: { stop_reason: 'end_turn' } });
const stop = event('message_stop');

test('a messages stream is read as the text of its deltas', () => {
  const body = `${event('message_start')}${text('a\n')}: ping\n\n${event('ping')}${text('b')}${finish}${stop}`;
  expect(messagesText(body)).toBe('a\nb');
});

test.each([
  ['without message_stop', text('a') + finish, 'did not end with message_stop'],
  ['cut in the end', (text('a') + finish + stop).slice(0, -1), 'did not end with message_stop'],
  ['without a stop reason', text('a') + stop, 'no stop_reason'],
  ['with an error', text('a') + event('error', { error: { message: 'lost' } }), 'lost'],
  ['of chat', 'data: [DONE]\n\n', 'no event'],
])('a messages stream %s is an error', (_, body, why) => {
  expect(() => messagesText(body)).toThrow(why);
});
