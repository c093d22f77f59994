import { describe, expect, test } from 'vitest';
import { decodeStream as decodeChat } from './chat/decode.ts';
import { decodeStream as decodeMessages } from './messages/decode.ts';
import { TextEvents } from './read-json.ts';

const textIn = (parsed: { delta?: { text?: string } }) => parsed.delta?.text;
const data = (text: string, more = {}) => JSON.stringify({ id: 'a', delta: { text }, text: 'same', ...more });

/** Returns a reader that has learnt from `event`. */
function learnt(event: { data: string; event?: string }): TextEvents {
  const texts = new TextEvents();
  texts.learn(event, JSON.parse(event.data), 'text', textIn);
  return texts;
}

describe('an event that differs from an earlier one', () => {
  test('in its text alone need not be parsed', () => {
    const texts = learnt({ data: data('one') });
    for (const text of ['two', '', 'Grüße 🌍 {}[],:', ' '])
      expect(texts.charactersOf({ data: data(text) })).toBe(text.length);
  });

  test.each([
    ['in a text with escapes', { data: data('a "quote"') }],
    ['in another field, too', { data: data('two', { usage: 1 }) }],
    ['in its name', { data: data('two'), event: 'error' }],
    ['by an end in the text', { data: data('two","error":"x') }],
    ['by a line end in the text', { data: data('two').replace('two', 'two\n') }],
    ['in that it is cut off', { data: data('two').slice(0, -1) }],
    ['in that its value was parsed ahead', { data: data('two'), ahead: { value: {} } }],
  ])('%s must be parsed', (_name, event) => {
    expect(learnt({ data: data('one') }).charactersOf(event)).toBeUndefined();
  });

  test('in a text that another field holds, too, must be parsed', () => {
    const twice = (text: string) => JSON.stringify({ other: { text }, delta: { text } });
    expect(learnt({ data: twice('one') }).charactersOf({ data: twice('two') })).toBeUndefined();
    const first = (text: string) => JSON.stringify({ text, delta: { text: 'one' } });
    expect(learnt({ data: first('one') }).charactersOf({ data: first('two') })).toBeUndefined();
  });
});

const texts = ['Hel', 'lo', '', ' "wor', 'ld"', '\u{1f30d}', '\n', 'a'.repeat(5_000), 'end'];
const characters = texts.join('').length;

test.each([
  [
    'chat',
    () => decodeChat({ showUsage: false }),
    texts.map(content => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`),
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
  ],
  [
    'messages',
    () => decodeMessages({ verbatim: true }),
    texts.map(text => {
      const delta = { type: 'text_delta', text };
      return `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta })}\n\n`;
    }),
    `event: message_delta\ndata: ${JSON.stringify({ type: 'message_delta', delta: { stop_reason: 'end_turn' } })}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n`,
  ],
])('a stream of %s that is passed on counts every character and sees its end', (_name, open, chunks, end) => {
  const decoder = open();
  for (const chunk of chunks) decoder.read(Buffer.from(chunk));
  expect(decoder.characters).toBe(characters);
  expect(decoder.complete).toBe(false);
  expect(decoder.read(Buffer.from(end)).at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
});

test('an error in the place of a chunk ends a stream whose other chunks differ in their text alone', () => {
  const decoder = decodeChat({ showUsage: false });
  const chunk = (content: string) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
  decoder.read(Buffer.from(chunk('a') + chunk('b')));
  const error = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'c' } }], error: { message: 'no' } })}\n\n`;
  expect(decoder.read(Buffer.from(error)).at(-1)).toMatchObject({ type: 'error' });
});
