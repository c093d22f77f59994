import { type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import type { FormInput, SentForm } from '../dialect.ts';
import { transcriptionsDialect } from './dialect.ts';

function inputOf(format?: string, variant?: string): FormInput {
  const fields: SentForm['fields'] = format ? [['response_format', format]] : [];
  const form = { fields, files: [], bytes: (async function* () {})() };
  const envelope = { requestId: 'req_1', ...(variant && { variant }) } as FormInput['envelope'];
  return { envelope, body: 'form', form, model: 'up', drop: [], limits: {} };
}

const finishOf = (events: readonly GenerateEvent[] | undefined) => {
  const last = events?.at(-1);
  return last?.type === 'finish' ? last.usage : last;
};

function whole(body: string, format?: string, type = 'application/json') {
  const decoder = transcriptionsDialect.decodeWhole(inputOf(format), type);
  return [...decoder.read(Buffer.from(body)), ...decoder.end()];
}

function streamed(...pieces: string[]) {
  const decoder = transcriptionsDialect.decodeStream(inputOf());
  return [...pieces.flatMap(piece => decoder.read(Buffer.from(piece))), ...decoder.end()];
}

test('transcriptions and translations have separate paths', () => {
  expect(transcriptionsDialect.encode(inputOf()).path).toBe('/audio/transcriptions');
  expect(transcriptionsDialect.encode(inputOf('json', 'translations')).path).toBe('/audio/translations');
});

const tokens = {
  type: 'tokens',
  input_tokens: 14,
  input_token_details: { text_tokens: 4, audio_tokens: 10 },
  output_tokens: 3,
  total_tokens: 17,
};
const ofTokens = { ...noUsage, input: 14, audioInput: 10, output: 3, raw: tokens };
const ofSeconds = (seconds: number) => ({ ...noUsage, units: { seconds }, raw: expect.anything() });

describe('usage', () => {
  test.each<[object, unknown]>([
    [{ usage: tokens }, ofTokens],
    [{ usage: { type: 'duration', seconds: 2 } }, ofSeconds(2)],
    [{ usage: { seconds: 2 }, duration: 1.5 }, ofSeconds(2)],
    [{ duration: 1.5 }, ofSeconds(1.5)],
    [{ duration: '1.5' }, ofSeconds(1.5)],
    [{ usage: null }, null],
    [{}, null],
  ])('usage of a response with %j is read, or null', (fields, usage) => {
    const body = JSON.stringify({ text: 'Hi', ...fields });
    expect(finishOf(whole(body, 'verbose_json'))).toEqual(usage);
    expect(finishOf(transcriptionsDialect.decodeBody(Buffer.from(body), inputOf('json')))).toEqual(usage);
  });

  test('usage of a plain-text response is null', () => {
    expect(finishOf(whole('Hi', 'text', 'text/plain'))).toBeNull();
  });

  test('usage of a stream comes from its last event', () => {
    const done = { type: 'transcript.text.done', text: 'Hi', usage: tokens };
    expect(finishOf(streamed(`data: ${JSON.stringify(done)}\n\n`))).toEqual(ofTokens);
  });
});

test('a stream passes in whole events and is complete at its last event', () => {
  const text =
    'data: {"type":"transcript.text.delta","delta":"é"}\n\ndata: {"type":"transcript.text.done","text":"é"}\n\n';
  const decoder = transcriptionsDialect.decodeStream(inputOf());
  const passed: Buffer[] = [];
  for (const byte of Buffer.from(text)) {
    for (const event of decoder.read(Buffer.of(byte)))
      if (event.type === 'verbatim') passed.push(Buffer.from(event.bytes));
  }
  expect(passed).toHaveLength(2);
  expect(Buffer.concat(passed).toString()).toBe(text);
  expect(decoder.complete).toBe(true);
  expect(decoder.end()).toEqual([{ type: 'finish', reason: 'stop', raw: null, usage: null }]);
});

test('a diarized response in place of a stream becomes segment events with speakers', () => {
  const segment = { id: 'seg_0', start: 0, end: 1, text: 'Hi.', speaker: 'A' };
  const body = { task: 'transcribe', duration: 1, text: 'Hi.', segments: [{ type: 'x', ...segment }] };
  const events = transcriptionsDialect.decodeBody(
    Buffer.from(JSON.stringify(body)),
    inputOf('diarized_json'),
  );
  const [first] = events ?? [];
  expect(first?.type === 'verbatim' && Buffer.from(first.bytes).toString().split('\n\n')).toEqual([
    'data: {"type":"transcript.text.delta","delta":"Hi."}',
    `data: ${JSON.stringify({ type: 'transcript.text.segment', ...segment })}`,
    'data: {"type":"transcript.text.done","text":"Hi."}',
    'data: [DONE]',
    '',
  ]);
});

test('an empty transcript is a valid response', () => {
  expect(finishOf(whole('', 'text', 'text/plain'))).toBeNull();
  expect(finishOf(whole('{"text":""}'))).toBeNull();
  const events = transcriptionsDialect.decodeBody(Buffer.from('{"text":""}'), inputOf());
  expect(finishOf(events)).toBeNull();
});

test.each(['', '{"text":5}', '[]', '{"error":{"message":"no"}}', 'null'])(
  '%j in place of a response is an error',
  body => {
    expect(finishOf(whole(body))).toMatchObject({ type: 'error', kind: 'upstream' });
    expect(transcriptionsDialect.decodeBody(Buffer.from(body), inputOf())).toBeUndefined();
  },
);
