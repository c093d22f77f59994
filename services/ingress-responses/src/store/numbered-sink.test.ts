import type { ResponseSink } from '@model-gateway/ingress';
import { expect, test } from 'vitest';
import { NumberedSink } from './stored-response-sink.ts';

/** Writes pieces to a sink of a response with this status and type, and returns what the client gets. */
function sent(pieces: (string | Uint8Array)[], status = 200, type = 'text/event-stream'): string {
  let text = '';
  const take = (data: string | Uint8Array = '') => {
    text += Buffer.from(data as Uint8Array).toString();
  };
  const client = { writeHead() {}, write: take, end: take } as Partial<ResponseSink> as ResponseSink;
  const sink = new NumberedSink(client);
  sink.writeHead(status, { 'content-type': type });
  for (const piece of pieces.slice(0, -1)) sink.write(piece);
  sink.end(pieces.at(-1));
  return text;
}

const event = (type: string, rest = '') => `event: ${type}\ndata: {"type":"${type}"${rest}}\n\n`;
const created = event('response.created', ',"response":{"id":"r"}');
const delta = event('response.output_text.delta', ',"delta":"\\"sequence_number\\":7 Grüße"');
const done = event('response.completed', ',"response":{"id":"r"}');
const numbersOf = (text: string) =>
  [...text.matchAll(/\{"sequence_number":(\d+)/g)].map(([, number]) => Number(number));

test('the events of an upstream that does not number them are numbered, comments and the mark of the end are not', () => {
  const text = sent([
    ': ping\n\n',
    created,
    Buffer.from(delta + delta),
    ': ping\n\n',
    `${done}data: [DONE]\n\n`,
  ]);
  expect(numbersOf(text)).toEqual([0, 1, 2, 3]);
  expect(text.replaceAll(/"sequence_number":\d+,/g, '')).toBe(
    `: ping\n\n${created}${delta}${delta}: ping\n\n${done}data: [DONE]\n\n`,
  );
});

test.each([1, 7, 100])('events that arrive in pieces of %i bytes are numbered, too', size => {
  const all = Buffer.from(created + delta + done);
  const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, i) =>
    all.subarray(i * size, (i + 1) * size),
  );
  expect(numbersOf(sent([...pieces, ''])).slice(-3)).toEqual([0, 1, 2]);
});

test("the gateway's own error at the end continues the numbers", () => {
  const text = sent([created, event('error', ',"sequence_number":9,"message":"x"')]);
  expect(text).toContain('"type":"error","sequence_number":1,');
});

test.each<[string, string[], number?, string?]>([
  ['a numbered stream', [event('response.created', ',"sequence_number":4'), delta]],
  ['a whole response', ['{"id":"r"', '}'], 200, 'application/json'],
  ['an error', ['{"error":{}}'], 400, 'application/json'],
  ['an empty stream', ['']],
])('%s passes unchanged', (_what, pieces, status, type) => {
  expect(sent(pieces, status, type)).toBe(pieces.join(''));
});
