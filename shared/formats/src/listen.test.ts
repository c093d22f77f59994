import type { TranscribeRequest } from '@model-gateway/canonical';
import { readAll } from '@model-gateway/canonical/testing/events';
import { rows } from '@model-gateway/canonical/testing/rows';
import { expect, test } from 'vitest';
import { listenDialect } from './listen.ts';
import type { CanonicalInput } from './upstream/dialect.ts';

const envelope = { requestId: 'req_1', format: 'transcriptions' } as CanonicalInput['envelope'];
const audio = { mediaType: 'audio/wav', filename: 'a.wav', data: Buffer.from('RIFF').toString('base64') };

function inputOf(
  request: Partial<TranscribeRequest> = {},
  facts: Partial<CanonicalInput> = {},
): CanonicalInput<TranscribeRequest> {
  const base = { envelope, model: 'nova-3', drop: [], limits: {}, ...facts };
  return { ...base, body: 'canonical', request: { audio, ...request } };
}

function queryOf(...input: Parameters<typeof inputOf>): string {
  return listenDialect.encode(inputOf(...input)).path.replace('/v1/listen?', '');
}

test.each(
  rows<[Parameters<typeof inputOf>, string]>`
  - [[], model=nova-3&smart_format=true&detect_language=true]
  - [[{language: de, prompt: p, temperature: 1}], model=nova-3&smart_format=true&language=de]
  - [[{language: de, segments: true}], model=nova-3&smart_format=true&language=de&utterances=true]
  - [[{language: de, words: true}], model=nova-3&smart_format=true&language=de]
  - [[{language: de, segments: true, speakers: true}], model=nova-3&smart_format=true&language=de&utterances=true&diarize=true]
  - [[{language: de, keywords: [a b]}], model=nova-3&smart_format=true&language=de&keyterm=a+b]
  - [[{language: de, keywords: [a, b]}, {model: nova-2}], model=nova-2&smart_format=true&language=de&keywords=a&keywords=b]
  - [[{language: de, keywords: [a]}, {model: whisper-large}], model=whisper-large&smart_format=true&language=de]
  - [[{}, {drop: [smart_format, detect_language]}], model=nova-3]
  - [[{language: a&model=b}, {model: x&y}], model=x%26y&smart_format=true&language=a%26model%3Db]
`,
)('the request %j has the query %s', (input, query) => {
  expect(queryOf(...input)).toBe(query);
});

test.each([
  ['audio/mpeg', 'audio/mpeg'],
  ['video/mp4', 'video/mp4'],
  ['application/json', 'application/octet-stream'],
  ['audio/x\r\nx: y', 'application/octet-stream'],
  ['', 'application/octet-stream'],
])('audio of the type %j is sent as %s', (mediaType, sent) => {
  const { headers, body } = listenDialect.encode(inputOf({ audio: { ...audio, mediaType } }));
  expect(headers).toEqual({ 'content-type': sent });
  expect(String(body)).toBe('RIFF');
});

test('a translation is refused as unsupported_value, which allows failover', () => {
  expect(() => queryOf({ translate: true })).toThrow(
    expect.objectContaining({ details: { path: 'translate', code: 'unsupported_value' } }),
  );
});

const decode = (body: unknown, request: Partial<TranscribeRequest> = {}) =>
  readAll(listenDialect.decodeWhole(inputOf(request), 'application/json'), JSON.stringify(body));

const words = [{ word: 'hi', punctuated_word: 'Hi.', start: 0.1, end: 0.4, confidence: 1 }];
const utterances = [{ transcript: 'Hi.', start: 0.1, end: 0.4, speaker: 1, words }];
const answer = (transcript: unknown, more: object = {}) => ({
  metadata: { duration: 1.5, request_id: 'r' },
  results: {
    channels: [{ detected_language: 'fr', alternatives: [{ transcript, confidence: 1, words }] }],
    ...more,
  },
});
const usage = { units: { seconds: 1.5 } };

test('an answer has the parts that were asked for, and its duration as usage', () => {
  const all = { words: true, segments: true, speakers: true };
  const timed = { start: 0.1, end: 0.4 };
  expect(decode(answer('Hi.', { utterances }))).toMatchObject([
    { result: { type: 'transcript', text: 'Hi.', language: 'fr', duration: 1.5 } },
    { type: 'finish', usage },
  ]);
  expect(decode(answer('Hi.', { utterances }), all)[0]).toMatchObject({
    result: { words: [{ text: 'Hi.', ...timed }], segments: [{ text: 'Hi.', ...timed, speaker: 1 }] },
  });
  expect(decode(answer('Hi.'), { language: 'de' })[0]).toMatchObject({ result: { language: 'de' } });
});

test('silence has a transcript without words', () => {
  expect(decode(answer('', { utterances: [] }), { segments: true })).toMatchObject([
    { result: { text: '', segments: [] } },
    { type: 'finish', usage },
  ]);
});

test.each([
  answer(null),
  answer(null, { utterances: null }),
  { metadata: { duration: 1.5 }, results: { channels: [{ alternatives: [] }] } },
])('silence may have no text: %j', body => {
  for (const request of [{}, { words: true, segments: true }])
    expect(decode(body, request)).toMatchObject([{ result: { text: '' } }, { type: 'finish', usage }]);
});

test.each<[string, unknown, Partial<TranscribeRequest>]>([
  ['no transcript', answer(undefined), {}],
  ['no channel', { metadata: {}, results: { channels: [] } }, {}],
  ['another shape', { results: { channels: {} } }, {}],
  ['null', null, {}],
  ['no segments that were asked for', answer('Hi.'), { segments: true }],
  ['segments without times', answer('Hi.', { utterances: [{ transcript: 'Hi.' }] }), { segments: true }],
  [
    'segments without speakers',
    answer('Hi.', { utterances: [{ transcript: 'Hi.', start: 0, end: 1 }] }),
    { segments: true, speakers: true },
  ],
])('an answer with %s is an error', (_, body, request) => {
  expect(decode(body, request)).toMatchObject([{ type: 'error', kind: 'upstream' }]);
});

test('an error in an answer of status 200 is an error with its message', () => {
  const events = decode({ err_code: 'ASR', err_msg: 'no audio', request_id: 'r' });
  expect(events).toMatchObject([{ type: 'error', kind: 'upstream', message: 'no audio' }]);
});
