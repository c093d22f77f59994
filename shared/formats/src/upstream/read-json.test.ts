import { sseEvent } from '@model-gateway/sse';
import { describe, expect, test } from 'vitest';
import { decodeStream as decodeChat } from '../chat/decode.ts';
import { decodeStream as decodeMessages } from '../messages/decode.ts';
import { type StreamEvent, TextEvents } from './read-json.ts';

const textIn = (parsed: { delta?: { text?: string } }) => parsed.delta?.text;
const data = (text: string, more = {}) => JSON.stringify({ id: 'a', delta: { text }, text: 'same', ...more });
const bytes = (...events: string[]) => Buffer.from(events.map(each => sseEvent(each)).join(''));

/** Returns a reader that has learnt from an event of `whole`. */
function learnt(event: StreamEvent, whole = Buffer.from(sseEvent(event.data, event.event))): TextEvents {
  const texts = new TextEvents();
  texts.learn(event, JSON.parse(event.data), 'text', textIn, whole);
  return texts;
}

describe('an event that differs from an earlier one', () => {
  test('in its text alone need not be parsed', () => {
    const texts = learnt({ data: data('one') });
    for (const text of ['two', '', 'Grüße 🌍 {}[],:', ' ', '漢字'])
      expect(texts.charactersIn(bytes(data(text)))).toBe(text.length);
  });

  test('in its text alone need not be parsed beside others of its kind', () => {
    const texts = learnt({ data: data('one') }, bytes(data('zero'), data('one')));
    expect(texts.charactersIn(bytes(data('two'), data(''), data('three')))).toBe(8);
    expect(texts.charactersIn(bytes(data('two'), data('three', { usage: 1 })))).toBeUndefined();
    expect(texts.charactersIn(bytes(data('two'), data('three')).subarray(0, -1))).toBeUndefined();
  });

  test.each([
    ['CR LF', (each: string) => `data: ${each}\r\n\r\n`],
    ['no space', (each: string) => `data:${each}\n\n`],
    ['an id', (each: string) => `id: 7\nevent: text\ndata: ${each}\n\n`],
  ])('in its text alone need not be parsed if its lines have %s', (_name, lines) => {
    const texts = learnt({ data: data('one') }, Buffer.from(lines(data('zero')) + lines(data('one'))));
    expect(texts.charactersIn(Buffer.from(lines(data('three'))))).toBe(5);
    expect(texts.charactersIn(bytes(data('three')))).toBeUndefined();
  });

  test.each([
    ['in a text with escapes', bytes(data('a "quote"'))],
    ['in another field, too', bytes(data('two', { usage: 1 }))],
    ['in its name', Buffer.from(sseEvent(data('two'), 'error'))],
    ['by an end in the text', bytes(data('two","error":"x'))],
    ['by a line end in the text', bytes(data('two').replace('two', 'two\n'))],
    ['in that it is cut off', bytes(data('two').slice(0, -1))],
  ])('%s must be parsed', (_name, whole) => {
    expect(learnt({ data: data('one') }).charactersIn(whole)).toBeUndefined();
  });

  test('in a text that another field holds, too, must be parsed', () => {
    const twice = (text: string) => JSON.stringify({ other: { text }, delta: { text } });
    expect(learnt({ data: twice('one') }).charactersIn(bytes(twice('two')))).toBeUndefined();
    const first = (text: string) => JSON.stringify({ text, delta: { text: 'one' } });
    expect(learnt({ data: first('one') }).charactersIn(bytes(first('two')))).toBeUndefined();
  });

  test('in its text alone need not be parsed beside one of another shape', () => {
    const texts = learnt({ data: data('one') });
    expect(texts.charactersOf({ data: data('Grüße 🌍') })).toBe(8);
    expect(texts.charactersOf({ data: data('two'), event: 'error' })).toBeUndefined();
    expect(texts.charactersOf({ data: data('two'), ahead: { value: {} } })).toBeUndefined();
    for (const other of [data('a "quote"'), data('two', { usage: 1 }), data('two","error":"x')])
      expect(texts.charactersOf({ data: other })).toBeUndefined();
  });

  test('must be parsed if the earlier one was parsed ahead', () => {
    const texts = learnt({ data: data('one'), ahead: { value: {} } });
    expect(texts.charactersIn(bytes(data('two')))).toBeUndefined();
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
    () => decodeMessages({ verbatim: true, seed: 'r' }),
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
