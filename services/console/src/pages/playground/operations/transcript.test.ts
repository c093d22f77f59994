import { expect, test } from 'vitest';
import { heard, requestOf, timeText } from './transcript.ts';

test('a transcript grows with its events, and the last has the whole text', () => {
  const events = [
    { type: 'transcript.text.delta', delta: 'Good ' },
    { type: 'transcript.text.delta', delta: 'day' },
    { type: 'transcript.text.segment', text: 'Good day', start: 0, end: 1, speaker: 'A' },
    { type: 'another' },
  ];
  const partial = events.reduce(heard, { text: '' });
  const segments = [{ text: 'Good day', start: 0, end: 1, speaker: 'A' }];
  expect(partial).toEqual({ text: 'Good day', segments });
  const done = heard(partial, { type: 'transcript.text.done', text: 'Good day.', usage: { seconds: 1 } });
  expect([done.text, done.usage?.seconds]).toEqual(['Good day.', 1]);
});

test.each([
  [0, '0:00.00'],
  [62.5, '1:02.50'],
  [59.999, '1:00.00'],
])('%d seconds are written as %s', (seconds, text) => {
  expect(timeText(seconds)).toBe(text);
});

const file = new File(['sound'], 'a.wav');
const draft = {
  ...{ task: 'transcribe' as const, language: 'en', prompt: '', format: 'verbose_json' },
  ...{ timestamps: ['word', 'segment'], temperature: 0, streamed: true, file },
};

test('a transcription sends what is set, and timestamps with the format that has them', () => {
  const fields = [
    ...[
      ['model', 'model'],
      ['file', file],
      ['response_format', 'verbose_json'],
      ['temperature', '0'],
    ],
    ...[
      ['language', 'en'],
      ['stream', 'true'],
    ],
    ...['word', 'segment'].map(value => ['timestamp_granularities[]', value]),
  ];
  const path = '/v1/audio/transcriptions';
  expect(requestOf('model', draft)).toMatchObject({ path, body: { fields } });
});

test('a translation has no language, timestamps or stream', () => {
  const { path, body } = requestOf('model', { ...draft, task: 'translate', format: 'diarized_json' });
  expect(path).toBe('/v1/audio/translations');
  expect(body.type === 'form' && body.fields.map(([name]) => name)).toEqual(['model', 'file', 'temperature']);
});
