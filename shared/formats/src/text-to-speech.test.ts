import type { SpeechRequest } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { readAll, refusal } from '@model-gateway/canonical/testing/events';
import { describe, expect, test } from 'vitest';
import { textToSpeechDialect } from './text-to-speech.ts';
import type { CanonicalInput } from './upstream/dialect.ts';

type Input = CanonicalInput<SpeechRequest>;
const inputOf = (fields: Partial<SpeechRequest> = {}, drop: string[] = []): Input => ({
  ...{ envelope: testEnvelope({ stream: false }), body: 'canonical', model: 'up', drop, limits: {} },
  request: { text: 'Hi 👋', voice: 'v', ...fields },
});

describe('encode', () => {
  test.each([
    [undefined, '/v1/text-to-speech/v/stream'],
    ['mp3', '/v1/text-to-speech/v/stream?output_format=mp3_44100_128'],
    ['wav', '/v1/text-to-speech/v?output_format=wav_24000'],
  ] as const)('the format %s is requested at %s', (format, path) => {
    const sent = textToSpeechDialect.encode(inputOf(format && { format }));
    expect(sent.path).toBe(path);
    expect(sent.body.toString()).toBe('{"text":"Hi 👋","model_id":"up"}');
  });

  test("a voice cannot leave the voice's place in the path", () => {
    const { path } = textToSpeechDialect.encode(inputOf({ voice: '../voices?x#' }));
    expect(path).toBe('/v1/text-to-speech/..%2Fvoices%3Fx%23/stream');
  });

  test.each<[keyof SpeechRequest, Partial<SpeechRequest>]>([
    ['voice', { voice: '..' }],
    ['format', { format: 'flac' }],
    ['speed', { speed: 0.5 }],
    ['speed', { speed: 1.3 }],
    ['instructions', { instructions: 'Whisper.' }],
  ])('%s is refused: %o', (path, fields) => {
    const refused = refusal(() => textToSpeechDialect.encode(inputOf(fields)));
    expect(refused).toMatchObject({ kind: 'invalid-request', path, code: 'unsupported_value' });
  });

  test('dropped fields are left out', () => {
    const fields = { speed: 4, instructions: 'Whisper.' };
    const { body } = textToSpeechDialect.encode(inputOf(fields, ['speed', 'instructions']));
    expect(body.toString()).toBe('{"text":"Hi 👋","model_id":"up"}');
  });
});

describe('decode', () => {
  const decode = (type: string, bytes: string, fields: Partial<SpeechRequest> = {}) =>
    readAll(textToSpeechDialect.decodeWhole(inputOf(fields), type), bytes);

  test('audio has the media type of the upstream, or of its format', () => {
    expect(decode('audio/x-own', 'a')[0]).toEqual({
      ...{ type: 'audio', bytes: Buffer.from('a'), mediaType: 'audio/x-own' },
    });
    const unnamed = decode('application/octet-stream', 'a', { format: 'pcm' });
    expect(unnamed[0]).toMatchObject({ mediaType: 'audio/pcm' });
    expect(unnamed[1]).toMatchObject({ type: 'finish', usage: { units: { characters: 4 } } });
  });

  test.each([
    ['application/json', '{"detail":{"status":"x","message":"Too busy"}}', 'Too busy'],
    ['audio/mpeg', '', 'The upstream sent no audio.'],
  ])('%s with %j is an error', (type, bytes, message) => {
    expect(decode(type, bytes)).toMatchObject([{ type: 'error', kind: 'upstream', message }]);
  });
});

describe('failures', () => {
  const failed = (status: number, detail: unknown) =>
    textToSpeechDialect.decodeFailure({
      ...{ provider: 'p', status, headers: {}, body: Buffer.from(JSON.stringify({ detail })) },
    });

  test.each([
    [401, 'quota_exceeded', { kind: 'quota-exceeded', message: 'Sentence.' }],
    [401, 'invalid_api_key', { kind: 'upstream', details: { refusedKey: true } }],
    [
      404,
      'voice_not_found',
      { kind: 'invalid-request', details: { path: 'voice', code: 'voice_not_found' } },
    ],
    [400, 'other', { kind: 'invalid-request', message: 'Sentence.' }],
    [429, 'too_many_concurrent_requests', { kind: 'rate-limited' }],
    [503, 'system_busy', { kind: 'overloaded' }],
  ])('%i with the status %s is %o', (status, reason, expected) => {
    expect(failed(status, { status: reason, message: 'Sentence.' })).toMatchObject(expected);
  });

  test('an exhausted quota does not say that the key was refused', () => {
    expect(failed(401, { status: 'quota_exceeded', message: 'x' }).details.refusedKey).toBeUndefined();
  });

  test('an invalid field is named', () => {
    const detail = [{ type: 'missing', loc: ['body', 'text'], msg: 'Field required' }];
    expect(failed(422, detail)).toMatchObject({ kind: 'invalid-request', details: { param: 'text' } });
  });
});
