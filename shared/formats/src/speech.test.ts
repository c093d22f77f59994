import { noUsage } from '@model-gateway/canonical';
import { readAll } from '@model-gateway/canonical/testing/events';
import { expect, test } from 'vitest';
import { speechDialect } from './speech.ts';
import { encodeInput } from './testing/encode-input.ts';
import type { VerbatimInput } from './upstream/dialect.ts';

const text = (model: string, rest: string) =>
  `{"input":"Hi 👋","voice":"alloy","model":"${model}",${rest}"extra":9007199254740993}`;
const body = Buffer.from(text('m', '"speed":1.0,'));
const input = encodeInput({ model: 'up', text: body, drop: ['speed'] }) as VerbatimInput;
const characters = { ...noUsage, units: { characters: 4 } };

test('a request is sent unchanged except for the model and dropped fields', () => {
  const { path, body } = speechDialect.encode(input);
  expect([path, body.toString()]).toEqual(['/audio/speech', text('up', '')]);
});

test('audio passes as it arrives, and its usage is in characters', () => {
  const decoder = speechDialect.decodeWhole(input, 'audio/mpeg', 3);
  expect([decoder.usage, decoder.read(Buffer.alloc(0))]).toEqual([null, []]);
  const whole = { status: 200, mediaType: 'audio/mpeg', length: 3 };
  expect(decoder.read(Buffer.from('a'))).toEqual([{ type: 'verbatim', bytes: Buffer.from('a'), whole }]);
  expect(decoder.usage).toEqual(characters);
  expect(decoder.read(Buffer.from('bc'))).toEqual([{ type: 'verbatim', bytes: Buffer.from('bc') }]);
  expect(decoder.end()).toMatchObject([{ type: 'finish', usage: characters }]);
});

test.each([
  ['application/problem+json', '{"detail":"no voice"}', 'no voice'],
  ['text/event-stream', 'data: {}\n\n', 'The upstream sent something other than audio.'],
])('a response of %s with the body %j is an error', (type, sent, message) => {
  const decoder = speechDialect.decodeWhole(input, type);
  expect(readAll(decoder, sent)).toMatchObject([{ type: 'error', kind: 'upstream', message }]);
  expect(decoder.usage ?? null).toBeNull();
});

const delta = 'data: {"type":"speech.audio.delta","audio":"AAAA"}\n\n';
const raw = { input_tokens: 12, output_tokens: 80, total_tokens: 92 };
test.each([
  [{ usage: raw }, { type: 'finish', usage: { ...noUsage, input: 12, output: 80, audioOutput: 80, raw } }],
  [{}, { type: 'finish', usage: characters }],
  [undefined, { type: 'error', kind: 'upstream' }],
])('an event stream that ends with %j has %j', (fields, end) => {
  const done = fields ? `data: ${JSON.stringify({ type: 'speech.audio.done', ...fields })}\n\n` : '';
  expect(readAll(speechDialect.decodeStream(input), delta + done).at(-1)).toMatchObject(end);
});

test('audio in place of an event stream becomes events', () => {
  const bytes = Buffer.alloc(100_000, 7);
  const events = speechDialect.decodeBody(bytes, input) ?? [];
  expect(events.at(-1)).toMatchObject({ type: 'finish', usage: characters });
  const sent = events.flatMap(event =>
    event.type === 'verbatim' ? [JSON.parse(Buffer.from(event.bytes).toString().slice(6))] : [],
  );
  const audio = sent.flatMap(({ audio }) => (audio ? [Buffer.from(audio, 'base64')] : []));
  expect([audio.length, Buffer.concat(audio)]).toEqual([3, bytes]);
  expect(sent.at(-1).type).toBe('speech.audio.done');
});

test.each(['', '{"error":"x"}', ' <html>'])(
  'the body %j in place of an event stream is not decoded',
  text => {
    expect(speechDialect.decodeBody(Buffer.from(text), input)).toBeUndefined();
  },
);
