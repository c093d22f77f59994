import { describe, expect, test } from 'vitest';
import {
  dataJson,
  EventReader,
  EventSplitter,
  EventTooLarge,
  Pieces,
  splitEvents,
  sseEvent,
} from './index.ts';

const stream =
  'data: {"a":"ž\u2028"}\n\n: ping\n\nevent: x\r\ndata: 1\r\ndata: 2\r\n\r\ndata: 3\n\ndata: unfinished';

describe('EventSplitter', () => {
  test.each([1, 2, 3, 5, 7, 1000])('returns whole events with every byte from pieces of %i bytes', size => {
    const splitter = new EventSplitter();
    const reader = new EventReader();
    const bytes = Buffer.from(stream);
    let whole = '';
    const data: string[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      const part = splitter.push(bytes.subarray(at, at + size));
      whole += part.toString();
      data.push(...reader.read(part).map(event => event.data));
    }
    expect(whole).toBe(stream.slice(0, stream.indexOf('data: unfinished')));
    expect(data).toEqual(['{"a":"ž\u2028"}', '1\n2', '3']);
    expect(splitter.unfinished).toBe(true);
  });

  test('throws for an event that is too large', () => {
    const splitter = new EventSplitter();
    const line = Buffer.alloc(1024 * 1024, 'x');
    expect(() => {
      for (let i = 0; i < 100; i++) splitter.push(line);
    }).toThrow(EventTooLarge);
  });
});

test.each([
  ['data: 1', 'data: 1\n\n'],
  ['data: 1\n', 'data: 1\n\n'],
  ['data: 1\r\n', 'data: 1\r\n\n'],
  ['data: 0\n\ndata: 1', 'data: 1\n\n'],
  ['data: 1\n\n', ''],
  ['', ''],
])('the end of the stream %j completes its last event', (stream, last) => {
  for (const size of [1, 2, 1000]) {
    const splitter = new EventSplitter();
    for (let at = 0; at < stream.length; at += size) splitter.push(Buffer.from(stream.slice(at, at + size)));
    expect(splitter.end().toString()).toBe(last);
    expect([splitter.unfinished, splitter.end().length]).toEqual([false, 0]);
  }
});

test('splitEvents keeps each event with its empty line', () => {
  const events = ['data: 1\n\n', ': c\n\n', 'data: 2\r\n\r\n'];
  expect(splitEvents(events.join(''))).toEqual(events);
});

test('JSON in a data line holds no character that a reader takes for a line end', () => {
  const text = sseEvent(dataJson({ a: 'x\u2028y\u2029z\n' }));
  expect(text.split(/[\n\u2028\u2029]/)).toHaveLength(3);
  expect(JSON.parse(text.slice(6))).toEqual({ a: 'x\u2028y\u2029z\n' });
});

test('Pieces joins any number of pieces to the original bytes', () => {
  const pieces = new Pieces();
  const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, i) => i % 256));
  for (let i = 0; i < bytes.length; i++) pieces.add(bytes.subarray(i, i + 1));
  expect(pieces.length).toBe(5_000);
  expect(Buffer.compare(pieces.whole(), bytes)).toBe(0);
  expect(Buffer.compare(pieces.copy(), bytes)).toBe(0);
  pieces.clear();
  expect([pieces.length, pieces.whole().length]).toEqual([0, 0]);
  pieces.add(bytes);
  expect(pieces.whole()).toBe(bytes);
});

test.each([
  'data: one\n\n',
  'data: one\r\n\n',
  'data: one\r\n\r\n',
  'data: \n\n',
  'data:one\n\n',
  'data:  one\n\n',
  'data\n\n',
  'data: one\ndata: two\n\n',
  'data: one\n\ndata: two\n\n',
  'data: \u2028\n\n',
  'event: name\ndata: one\n\n',
  ': comment\n\n',
  '\n\n',
])('%j is read the same whether it arrives alone or after other events', text => {
  const alone = new EventReader().read(Buffer.from(text));
  const after = new EventReader().read(Buffer.from(`: comment\n\n${text}`));
  expect(alone).toEqual(after);
  const splitter = new EventSplitter();
  splitter.push(Buffer.from(text.slice(0, 1)));
  const cut = [splitter.push(Buffer.from(text.slice(1))), splitter.rest];
  const whole = new EventSplitter();
  expect([whole.push(Buffer.from(text)), whole.rest]).toEqual(cut);
});
