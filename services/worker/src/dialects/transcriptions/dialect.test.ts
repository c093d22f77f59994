import { type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { passed, readAll } from '@model-gateway/canonical/testing/events';
import { expect, test } from 'vitest';
import type { FormInput, SentForm } from '../dialect.ts';
import { transcriptionsDialect } from './dialect.ts';

function inputOf(format?: string, variant?: string): FormInput {
  const fields: SentForm['fields'] = format ? [['response_format', format]] : [];
  const form = { fields, files: [], bytes: (async function* () {})() };
  const envelope = testEnvelope(variant ? { variant } : {});
  return { envelope, body: 'form', form, model: 'up', drop: [], limits: {} };
}

/** The usage, or the error. */
const endOf = (events: readonly GenerateEvent[] | undefined) => {
  const last = events?.at(-1);
  return last?.type === 'finish' ? last.usage : last;
};
const whole = (body: string, format?: string, type = 'application/json') =>
  readAll(transcriptionsDialect.decodeWhole(inputOf(format), type), body);
const forStream = (body: string, format?: string) =>
  transcriptionsDialect.decodeBody(Buffer.from(body), inputOf(format));

test('transcriptions and translations have separate paths', () => {
  const path = (variant?: string) => transcriptionsDialect.encode(inputOf('json', variant)).path;
  expect([path(), path('translations')]).toEqual(['/audio/transcriptions', '/audio/translations']);
});

const details = { text_tokens: 4, audio_tokens: 10 };
const tokens = {
  type: 'tokens',
  input_tokens: 14,
  input_token_details: details,
  output_tokens: 3,
  total_tokens: 17,
};
const ofTokens = { ...noUsage, input: 14, audioInput: 10, output: 3, raw: tokens };
const ofSeconds = (seconds: number) => ({ ...noUsage, units: { seconds }, raw: expect.anything() });

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
  expect(endOf(whole(body, 'verbose_json'))).toEqual(usage);
  expect(endOf(forStream(body, 'json'))).toEqual(usage);
});

test('a stream passes in whole events, is complete at its last event and has its usage', () => {
  const delta = 'data: {"type":"transcript.text.delta","delta":"é"}\n\n';
  const done = `data: ${JSON.stringify({ type: 'transcript.text.done', text: 'é', usage: tokens })}\n\n`;
  const decoder = transcriptionsDialect.decodeStream(inputOf());
  const events = [...Buffer.from(delta + done)].flatMap(byte => decoder.read(Buffer.of(byte)));
  expect(decoder.complete).toBe(true);
  const sent = events.filter(({ type }) => type === 'verbatim');
  expect([sent.length, passed(events)]).toEqual([2, delta + done]);
  expect(decoder.end()).toEqual([{ type: 'finish', reason: 'stop', raw: null, usage: ofTokens }]);
});

test('a diarized response in place of a stream becomes segment events with speakers', () => {
  const segment = { id: 'seg_0', start: 0, end: 1, text: 'Hi.', speaker: 'A' };
  const body = { task: 'transcribe', duration: 1, text: 'Hi.', segments: [{ type: 'x', ...segment }] };
  const events = forStream(JSON.stringify(body), 'diarized_json') ?? [];
  expect(passed(events.slice(0, 1)).split('\n\n')).toEqual([
    'data: {"type":"transcript.text.delta","delta":"Hi."}',
    `data: ${JSON.stringify({ type: 'transcript.text.segment', ...segment })}`,
    'data: {"type":"transcript.text.done","text":"Hi."}',
    'data: [DONE]',
    '',
  ]);
});

test('a plain or empty transcript is a valid response without usage', () => {
  for (const text of ['Hi', '']) expect(endOf(whole(text, 'text', 'text/plain'))).toBeNull();
  expect([endOf(whole('{"text":""}')), endOf(forStream('{"text":""}'))]).toEqual([null, null]);
});

test.each(['', '{"text":5}', '[]', '{"error":{"message":"no"}}', 'null'])(
  '%j in place of a response is an error',
  body => {
    expect(endOf(whole(body))).toMatchObject({ type: 'error', kind: 'upstream' });
    expect(forStream(body)).toBeUndefined();
  },
);
