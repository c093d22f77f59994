import { expect, test } from 'vitest';
import { chatText } from './chat-text.ts';

const chunk = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: finish }] })}\n\n`;
const usage = 'data: {"choices":[],"usage":{}}\n\n';
const done = 'data: [DONE]\n\n';

test('a chat stream is read as the text of its chunks', () => {
  const body = `${chunk('a\n')}: a comment\n\n${chunk('b', 'stop')}${usage}${done}`;
  expect(chatText(body, true)).toBe('a\nb');
});

test.each([
  ['without [DONE]', chunk('a', 'stop'), 'did not end with [DONE]'],
  ['cut in the end', `${chunk('a', 'stop')}data: [DONE]\n`, 'did not end with [DONE]'],
  ['without a finish reason', `${chunk('a')}${done}`, 'no finish_reason'],
  ['with an error', `${chunk('a', 'stop')}data: {"error":{"message":"lost"}}\n\n${done}`, 'lost'],
])('a chat stream %s is an error', (_, body, why) => {
  expect(() => chatText(body, true)).toThrow(why);
});

test('a non-streamed completion is read as the text of its message', () => {
  const whole = { choices: [{ message: { content: 'a' }, finish_reason: 'stop' }] };
  expect(chatText(JSON.stringify(whole), false)).toBe('a');
  expect(() => chatText('{"error":{"message":"lost"}}', false)).toThrow('lost');
});
