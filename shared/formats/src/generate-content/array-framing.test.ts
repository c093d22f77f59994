import { expect, test } from 'vitest';
import { ArrayFraming } from './render-stream.ts';

const chunks = [{ text: 'ž😀\u2028' }, { error: { code: 503 } }, { last: true }];
const sse = chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('');

test.each([1, 2, 7, 1_000])('events in chunks of %i bytes become the elements of one array', size => {
  const framing = new ArrayFraming();
  const bytes = Buffer.from(sse);
  let text = '';
  for (let at = 0; at < bytes.length; at += size) text += framing.write(bytes.subarray(at, at + size));
  text += framing.write('') + framing.end();
  expect(JSON.parse(text)).toEqual(chunks);
});

test('each element is written as soon as its event is complete', () => {
  const framing = new ArrayFraming();
  expect(framing.write('data: {"a":1}\n\ndata: {"b"')).toBe('[{"a":1}');
  expect(framing.write(':2}\n\n')).toBe('\n,\n{"b":2}');
});

test('a stream without events is an empty array', () => {
  expect(JSON.parse(new ArrayFraming().end())).toEqual([]);
});
