import { type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import type { VerbatimInput } from '../dialect.ts';
import { speechDialect } from './dialect.ts';

const body = '{"input":"Hi 👋","voice":"alloy","model":"m","speed":1.0,"extra":9007199254740993}';
const input = {
  envelope: { requestId: 'req_1' },
  body: 'verbatim',
  text: Buffer.from(body),
  model: 'up',
  drop: ['speed'],
  limits: {},
} as unknown as VerbatimInput;
const characters = { ...noUsage, units: { characters: 4 } };
const finishOf = (events: readonly GenerateEvent[] | undefined) => events?.at(-1);

test('a request is sent unchanged except for the model and dropped fields', () => {
  const { path, body } = speechDialect.encode(input);
  expect(path).toBe('/audio/speech');
  expect(body.toString()).toBe('{"input":"Hi 👋","voice":"alloy","model":"up","extra":9007199254740993}');
});

describe('audio', () => {
  test('audio passes as it arrives, and its usage is in characters', () => {
    const decoder = speechDialect.decodeWhole(input, 'audio/mpeg', 3);
    expect(decoder.usage).toBeNull();
    const whole = { status: 200, mediaType: 'audio/mpeg', length: 3 };
    expect(decoder.read(Buffer.from('a'))).toEqual([{ type: 'verbatim', bytes: Buffer.from('a'), whole }]);
    expect(decoder.usage).toEqual(characters);
    expect(decoder.read(Buffer.from('bc'))).toEqual([{ type: 'verbatim', bytes: Buffer.from('bc') }]);
    expect(finishOf(decoder.end())).toMatchObject({ type: 'finish', usage: characters });
  });

  test.each([
    ['application/json', '{"error":{"message":"no voice"}}', 'no voice'],
    ['application/problem+json', '{"detail":"no voice"}', 'no voice'],
    ['text/html; charset=utf-8', '<html>', 'The upstream sent something other than audio.'],
    ['text/event-stream', 'data: {}\n\n', 'The upstream sent something other than audio.'],
    ['audio/mpeg', '', 'The upstream sent no audio.'],
  ])('a response of %s with the body %j is an error', (type, sent, message) => {
    const decoder = speechDialect.decodeWhole(input, type);
    expect(decoder.read(Buffer.from(sent))).toEqual([]);
    expect(finishOf(decoder.end())).toMatchObject({ type: 'error', kind: 'upstream', message });
    expect(decoder.usage ?? null).toBeNull();
  });
});

describe('events', () => {
  const delta = 'data: {"type":"speech.audio.delta","audio":"AAAA"}\n\n';
  const read = (text: string) => {
    const decoder = speechDialect.decodeStream(input);
    return [...decoder.read(Buffer.from(text)), ...decoder.end()];
  };

  test('usage of an event stream comes from its last event', () => {
    const usage = { input_tokens: 12, output_tokens: 80, total_tokens: 92 };
    const done = `data: ${JSON.stringify({ type: 'speech.audio.done', usage })}\n\n`;
    expect(finishOf(read(delta + done))).toMatchObject({
      type: 'finish',
      usage: { ...noUsage, input: 12, output: 80, audioOutput: 80, raw: usage },
    });
  });

  test('usage of an event stream without counts is in characters', () => {
    expect(finishOf(read(`${delta}data: {"type":"speech.audio.done"}\n\n`))).toMatchObject({
      usage: characters,
    });
  });

  test('an event stream that ends early is an error', () => {
    expect(finishOf(read(delta))).toMatchObject({ type: 'error', kind: 'upstream' });
  });

  test('audio in place of an event stream becomes events', () => {
    const bytes = Buffer.alloc(100_000, 7);
    const events = speechDialect.decodeBody(bytes, input) ?? [];
    expect(finishOf(events)).toMatchObject({ type: 'finish', usage: characters });
    const sent = events.flatMap(event =>
      event.type === 'verbatim' ? [JSON.parse(Buffer.from(event.bytes).toString().slice(6))] : [],
    );
    const audio = sent.flatMap(({ audio }) => (audio ? [Buffer.from(audio, 'base64')] : []));
    expect(audio).toHaveLength(3);
    expect(Buffer.concat(audio)).toEqual(bytes);
    expect(sent.at(-1).type).toBe('speech.audio.done');
  });

  test.each(['', '{"error":"x"}', ' <html>'])(
    'the body %j in place of an event stream is not decoded',
    text => {
      expect(speechDialect.decodeBody(Buffer.from(text), input)).toBeUndefined();
    },
  );
});
