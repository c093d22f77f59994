import { type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { passed, readAll } from '@model-gateway/canonical/testing/events';
import { expect, test } from 'vitest';
import type { FormInput, SentForm } from '../upstream/dialect.ts';
import { transcriptionsDialect } from './dialect.ts';

function inputOf(format?: string, variant?: string): FormInput {
  const fields: SentForm['fields'] = format ? [['response_format', format]] : [];
  const form = { fields, files: [], bytes: (async function* () {})() };
  const envelope = testEnvelope(variant ? { variant } : {});
  return { envelope, body: 'form', form, model: 'up', drop: [], limits: {} };
}
const withFields = (...fields: SentForm['fields']): FormInput => {
  const input = inputOf();
  return { ...input, form: { ...input.form, fields } };
};

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
  [{ usage: { type: 'tokens', input_tokens: 0, output_tokens: 0 }, duration: 1.5 }, ofSeconds(1.5)],
  [{ usage: { prompt_tokens: 3, completion_tokens: 4 } }, expect.objectContaining({ input: 3, output: 4 })],
  [
    { usage: { prompt_audio_seconds: 30, prompt_tokens: 3, completion_tokens: 4 } },
    expect.objectContaining({ input: 3, output: 4, units: { seconds: 30 } }),
  ],
  [{ usage: { seconds: 0 } }, null],
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

const json = (body: string, format?: string, type?: string) =>
  JSON.parse(passed(whole(body, format, type).slice(0, 1)));

test.each<[string, string, object]>([
  ['json', '{"text":null}', { text: '' }],
  ['json', '{"text":null,"language":null,"usage":null}', { text: '', language: null, usage: null }],
  ['json', '{"segments":[{"text":" a"},{"text":" b"},{"text":null}]}', { text: 'a b' }],
  ['json', '"Hi"', { text: 'Hi' }],
  ['json', '""', { text: '' }],
  [
    'json',
    '{"text":"a","usage":{"prompt_tokens":3,"completion_tokens":4}}',
    {
      usage: {
        type: 'tokens',
        input_tokens: 3,
        input_token_details: { text_tokens: 3, audio_tokens: 0 },
        output_tokens: 4,
        total_tokens: 7,
      },
    },
  ],
  ['json', '{"text":"a","usage":{"prompt_audio_seconds":30}}', { usage: { type: 'duration', seconds: 30 } }],
  ['verbose_json', '{"text":"","segments":null}', { text: '', duration: 0, language: '' }],
  ['verbose_json', '{"text":"a","segments":[{"start":0,"end":2,"text":"a"}]}', { duration: 2 }],
  ['verbose_json', '{"text":"a","duration":null,"usage":{"seconds":3}}', { duration: 3 }],
  ['diarized_json', '{"text":"a","duration":1}', { task: 'transcribe', duration: 1, segments: [] }],
])('as %s, %s is completed', (format, body, fields) => {
  expect(json(body, format)).toMatchObject(fields);
});

test('a complete response passes unchanged, with fields that clients do not know', () => {
  const body = `{ "text": "é", "duration":1.50, "language":"en", "usage":${JSON.stringify(tokens)}, "x":[] }`;
  for (const format of ['json', 'verbose_json']) expect(passed(whole(body, format).slice(0, 1))).toBe(body);
});

test('the language of a request is that of its response', () => {
  const input = withFields(['response_format', 'verbose_json'], ['language', 'de']);
  const events = readAll(transcriptionsDialect.decodeWhole(input, 'application/json'), '{"text":"a"}');
  expect(JSON.parse(passed(events.slice(0, 1)))).toMatchObject({ language: 'de' });
});

test.each(['text/plain', 'text/html; charset=utf-8', ''])(
  'a text of the type %j is JSON where it was asked for',
  type => {
    expect(json('My gosh', 'json', type)).toEqual({ text: 'My gosh' });
    expect(json('My gosh', 'verbose_json', type)).toMatchObject({ text: 'My gosh' });
  },
);

test.each([
  ['json', '<html>Bad gateway</html>', 'text/html'],
  ['json', '{"text":"ab', 'text/plain'],
  ['json', 'My gosh', 'application/json'],
  ['text', '<!DOCTYPE html><p>no</p>', 'text/html'],
])('as %s, %s of the type %s is an error', (format, body, type) => {
  expect(endOf(whole(body, format, type))).toMatchObject({ type: 'error', kind: 'upstream' });
});

test('a text that is said to be HTML is a text, as whisper.cpp sends it', () => {
  const [sent] = whole('My gosh\n', 'text', 'text/html; charset=utf-8');
  expect(sent).toMatchObject({
    bytes: Buffer.from('My gosh\n'),
    whole: { mediaType: 'text/plain; charset=utf-8' },
  });
});

test.each([
  ['{"text":"","segments":[]}', 'srt', ''],
  ['{"text":null,"segments":null}', 'vtt', 'WEBVTT\n\n'],
  ['{"text":" ","segments":[{"start":0,"end":1,"text":""}]}', 'vtt', 'WEBVTT\n\n'],
  ['{"text":"","segments":[]}', 'text', ''],
])('silence as %s has no cues in %s', (body, format, text) => {
  expect(passed(whole(body, format).slice(0, 1))).toBe(text);
});

test.each([
  ['tsv', 'start\tend\ttext\n', 'text/tab-separated-values'],
  ['aud', '{"segments":1}', 'application/json'],
])('a format of another server, %s, passes as it is', (format, body, type) => {
  expect(passed(whole(body, format, type).slice(0, 1))).toBe(body);
});

/** The events of a stream with these bytes, as they are passed on. */
function streamed(text: string, size = 1e9) {
  const events = readAll(transcriptionsDialect.decodeStream(inputOf()), text, size);
  const last = events.at(-1);
  const sent = passed(events.filter(({ type }) => type === 'verbatim'));
  const data = sent.split('\n\n').flatMap(block => block.replace(/^data: /, '') || []);
  return { last, mark: data.at(-1), events: data.slice(0, -1).map(each => JSON.parse(each)) };
}
const lines = (...data: (object | string)[]) =>
  data.map(each => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`).join('');
const chunk = (content?: string, reason?: string, more: object = {}) => ({
  object: 'transcription.chunk',
  choices: [{ delta: { content }, ...(reason && { finish_reason: reason }) }],
  ...more,
});
const delta = (text: string) => ({ type: 'transcript.text.delta', delta: text });
const doneWith = (text: string, more: object = {}) => ({ type: 'transcript.text.done', text, ...more });
const both = [delta(' My'), delta(' gosh'), doneWith(' My gosh')];
const seconds = { type: 'duration', seconds: 30 };
const mistral = { type: 'transcription.done', text: ' My gosh', usage: { prompt_audio_seconds: 30 } };

test.each<[string, string, object[]]>([
  ["vLLM's chunks", lines(chunk(' My'), chunk(' gosh'), chunk('', 'stop'), '[DONE]'), both],
  ['chunks without an end mark', lines(chunk(' My'), chunk(' gosh', 'stop')), both],
  [
    'chunks with usage at the end',
    lines(
      chunk(' My'),
      chunk(' gosh', 'stop'),
      { object: 'transcription.chunk', choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
      '[DONE]',
    ),
    [...both.slice(0, 2), expect.objectContaining({ usage: expect.objectContaining({ output_tokens: 4 }) })],
  ],
  ["Speaches' texts", lines({ text: ' My' }, { text: ' gosh' }), both],
  ['texts with their times', lines({ text: ' My', segments: [{}] }, { text: ' gosh', segments: [{}] }), both],
  ['bare texts', 'data:  My\n\ndata:  gosh\n\n', both],
  ['texts as JSON', lines('" My"', '" gosh"', '[DONE]'), both],
  [
    "Mistral's events",
    lines(
      { type: 'transcription.language', audio_language: 'en' },
      { type: 'transcription.text.delta', text: ' My' },
      { type: 'transcription.text.delta', text: ' gosh' },
      mistral,
      '[DONE]',
    ),
    [...both.slice(0, 2), doneWith(' My gosh', { usage: seconds })],
  ],
  [
    'events that say their type beside the data',
    'event: transcription.text.delta\ndata: {"text":" My"}\n\nevent: transcription.done\ndata: {"text":" My"}\n\n',
    [delta(' My'), doneWith(' My')],
  ],
  [
    'segments of speakers',
    lines({ type: 'transcription.segment', text: 'My gosh', start: 0, end: 1, speaker_id: 'A' }, mistral),
    [
      { type: 'transcript.text.segment', id: 'seg_0', start: 0, end: 1, text: 'My gosh', speaker: 'A' },
      delta(' My gosh'),
      doneWith(' My gosh', { usage: seconds }),
    ],
  ],
  ["deltas of OpenAI's without their last event", lines(delta(' My'), delta(' gosh'), '[DONE]'), both],
])('%s become the events that clients read', (_what, text, events) => {
  for (const size of [1e9, 1]) {
    const read = streamed(text, size);
    expect(read).toMatchObject({ events, mark: '[DONE]', last: { type: 'finish', reason: 'stop' } });
    expect(read.events).toHaveLength(events.length);
  }
});

test("the usage of OpenAI's last event is told in its words", () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
  const { events, last } = streamed(lines(delta('a'), doneWith('a', { usage, logprobs: [] }), '[DONE]'));
  expect(events[1]).toMatchObject({ logprobs: [], usage: { type: 'tokens', output_tokens: 4 } });
  expect(last).toMatchObject({ usage: { input: 3, output: 4 } });
});

test.each([
  lines(chunk(' My')),
  lines(delta(' My')),
  lines({ type: 'transcription.text.delta', text: 'a' }),
  lines({ text: ' My' }, { error: { message: 'no' } }),
  'event: error\ndata: no\n\n',
  'data: {"text":"a\n\n',
  '',
])('the stream %j is an error', text => {
  const events = readAll(transcriptionsDialect.decodeStream(inputOf()), text);
  expect(events.at(-1)).toMatchObject({ type: 'error', kind: 'upstream' });
});
