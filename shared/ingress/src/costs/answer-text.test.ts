import { expect, test } from 'vitest';
import { AnswerText } from './answer-text.ts';

const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

/** Counts the text of an event that arrives in pieces of a size. */
function countPieces(event: string, size: number): number {
  const bytes = Buffer.from(event);
  const text = new AnswerText('chat');
  let count = 0;
  for (let at = 0; at < bytes.length; at += size)
    count += text.add(bytes.subarray(at, at + size), at + size < bytes.length);
  return count;
}

test('the texts of whole events count, and nothing beside them', () => {
  const text = new AnswerText('chat');
  expect(text.add(Buffer.from(`${chunk('four')}${chunk('and six')}data: [DONE]\n\n`))).toBe(11);
  const call = { choices: [{ delta: { tool_calls: [{ id: 'call_1', function: { arguments: '{"a"' } }] } }] };
  expect(text.add(Buffer.from(JSON.stringify(call)))).toBe(6);
  expect(text.add(Buffer.from('{"inlineData":{"mimeType":"image/png","data":"AAAA"}}'))).toBe(0);
});

test.each([1, 2, 3, 7, 64, 1_000])('an event that arrives in pieces of %i bytes counts as a whole', size => {
  const event = chunk('a "quoted" \\ text of some length, '.repeat(20)) + chunk('and another one');
  expect(countPieces(event, size)).toBe(countPieces(event, event.length));
});

test('an event without an end counts as it arrives', () => {
  const text = new AnswerText('chat');
  expect(text.add(Buffer.from('data: {"choices":[{"delta":{"content":"12345'), true)).toBe(5);
  for (let piece = 0; piece < 10; piece++)
    expect(text.add(Buffer.from('x'.repeat(100_000)), true)).toBe(100_000);
  expect(text.add(Buffer.from('"}}]}\n\n'))).toBe(0);
});

test('bytes that are no text count for nothing, in however many pieces they come', () => {
  const image = `{"candidates":[{"content":{"parts":[{"inlineData":{"data":"${'A'.repeat(500_000)}"}}]}}]}`;
  expect(countPieces(image, 128 * 1024)).toBe(0);
});

test('all values of a call count, in a format that has them as JSON, and no signature', () => {
  const event = (args: object, thoughtSignature = '') => {
    const parts = [{ functionCall: { name: 'f', args }, thoughtSignature }];
    return Buffer.from(`data: ${JSON.stringify({ candidates: [{ content: { parts } }] })}\n\n`);
  };
  const count = (bytes: Buffer, size = bytes.length) => {
    const text = new AnswerText('generate-content');
    let sum = 0;
    for (let at = 0; at < bytes.length; at += size)
      sum += text.add(bytes.subarray(at, at + size), at + size < bytes.length);
    return sum;
  };
  const list = { numbers: Array.from({ length: 1_000 }, (_, i) => i), texts: Array(500).fill('text') };
  const bytes = event(list);
  expect(count(bytes)).toBeGreaterThanOrEqual(JSON.stringify(list).length);
  expect(count(bytes, 1_000)).toBe(count(bytes));
  expect(count(event(list, 's'.repeat(5_000)))).toBe(count(bytes));
  expect(count(event({}, 's'.repeat(500_000)), 128 * 1024)).toBeLessThan(200);
});

test('events that repeat what their deltas said do not count', () => {
  const text = new AnswerText('responses');
  const events = [
    { type: 'response.output_text.delta', delta: 'Hello' },
    { type: 'response.output_text.done', text: 'Hello' },
    {
      type: 'response.completed',
      response: { output: [{ content: [{ type: 'output_text', text: 'Hello' }] }] },
    },
  ];
  const bytes = Buffer.from(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''));
  expect(text.add(bytes)).toBe(5);
});
