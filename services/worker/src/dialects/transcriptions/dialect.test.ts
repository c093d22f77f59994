import { type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import type { EncodeInput, SentForm } from '../dialect.ts';
import { transcriptionsDialect } from './dialect.ts';

function asked(format?: string, variant?: string): EncodeInput<never> {
  const fields: SentForm['fields'] = format ? [['response_format', format]] : [];
  const form = { fields, files: [], bytes: (async function* () {})() };
  const envelope = { requestId: 'req_1', ...(variant && { variant }) } as EncodeInput['envelope'];
  return { envelope, form, model: 'up', drop: [], limits: {} };
}

const finishOf = (events: readonly GenerateEvent[] | undefined) => {
  const last = events?.at(-1);
  return last?.type === 'finish' ? last.usage : last;
};

function whole(body: string, format?: string, type = 'application/json') {
  const decoder = transcriptionsDialect.decodeWhole(asked(format), type);
  return [...decoder.read(Buffer.from(body)), ...decoder.end()];
}

function streamed(...pieces: string[]) {
  const decoder = transcriptionsDialect.decodeStream(asked());
  return [...pieces.flatMap(piece => decoder.read(Buffer.from(piece))), ...decoder.end()];
}

test('transcriptions and translations have a path each', () => {
  expect(transcriptionsDialect.encode(asked()).path).toBe('/audio/transcriptions');
  expect(transcriptionsDialect.encode(asked('json', 'translations')).path).toBe('/audio/translations');
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
  ])('of %j is known, or said to be unknown', (fields, usage) => {
    const body = JSON.stringify({ text: 'Hi', ...fields });
    expect(finishOf(whole(body, 'verbose_json'))).toEqual(usage);
    expect(finishOf(transcriptionsDialect.decodeBody(Buffer.from(body), asked('json')))).toEqual(usage);
  });

  test('of a text is unknown', () => {
    expect(finishOf(whole('Hi', 'text', 'text/plain'))).toBeNull();
  });

  test('of a stream is in its last event', () => {
    const done = { type: 'transcript.text.done', text: 'Hi', usage: tokens };
    expect(finishOf(streamed(`data: ${JSON.stringify(done)}\n\n`))).toEqual(ofTokens);
  });
});

test('a stream is passed on in whole events, and complete at its last one', () => {
  const text =
    'data: {"type":"transcript.text.delta","delta":"é"}\n\ndata: {"type":"transcript.text.done","text":"é"}\n\n';
  const decoder = transcriptionsDialect.decodeStream(asked());
  const shown: Buffer[] = [];
  for (const byte of Buffer.from(text)) {
    for (const event of decoder.read(Buffer.of(byte)))
      if (event.type === 'verbatim') shown.push(Buffer.from(event.bytes));
  }
  expect(shown).toHaveLength(2);
  expect(Buffer.concat(shown).toString()).toBe(text);
  expect(decoder.complete).toBe(true);
  expect(decoder.end()).toEqual([{ type: 'finish', reason: 'stop', raw: null, usage: null }]);
});

test('a diarized answer in place of a stream tells who spoke', () => {
  const segment = { id: 'seg_0', start: 0, end: 1, text: 'Hi.', speaker: 'A' };
  const body = { task: 'transcribe', duration: 1, text: 'Hi.', segments: [{ type: 'x', ...segment }] };
  const events = transcriptionsDialect.decodeBody(Buffer.from(JSON.stringify(body)), asked('diarized_json'));
  const [shown] = events ?? [];
  expect(shown?.type === 'verbatim' && Buffer.from(shown.bytes).toString().split('\n\n')).toEqual([
    'data: {"type":"transcript.text.delta","delta":"Hi."}',
    `data: ${JSON.stringify({ type: 'transcript.text.segment', ...segment })}`,
    'data: {"type":"transcript.text.done","text":"Hi."}',
    'data: [DONE]',
    '',
  ]);
});

test('nothing heard is an answer, too', () => {
  expect(finishOf(whole('', 'text', 'text/plain'))).toBeNull();
  expect(finishOf(whole('{"text":""}'))).toBeNull();
  const events = transcriptionsDialect.decodeBody(Buffer.from('{"text":""}'), asked());
  expect(finishOf(events)).toBeNull();
});

test.each(['', '{"text":5}', '[]', '{"error":{"message":"no"}}', 'null'])('%j is no answer', body => {
  expect(finishOf(whole(body))).toMatchObject({ type: 'error', kind: 'upstream' });
  expect(transcriptionsDialect.decodeBody(Buffer.from(body), asked())).toBeUndefined();
});
