import { expect, test } from 'vitest';
import { emptyDraft, sessionOf } from './draft.ts';

test('what is not set is not sent', () => {
  expect(sessionOf({ ...emptyDraft, transcription: ' ' })).toEqual({ type: 'realtime' });
});

test('what is set has its place in the session; turns by hand are null', () => {
  const draft = { ...emptyDraft, instructions: 'Be brief.', output: 'audio', voice: ' sage', speed: 1.25 };
  expect(sessionOf({ ...draft, turns: 'none' })).toEqual({
    type: 'realtime',
    output_modalities: ['audio'],
    instructions: 'Be brief.',
    audio: {
      input: { transcription: { model: 'gpt-4o-mini-transcribe' }, turn_detection: null },
      output: { voice: 'sage', speed: 1.25 },
    },
  });
  expect(sessionOf({ ...draft, turns: 'server_vad' })).toMatchObject({
    audio: { input: { turn_detection: { type: 'server_vad' } } },
  });
});
