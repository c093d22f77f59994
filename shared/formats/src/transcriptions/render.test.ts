import { finish } from '@model-gateway/canonical/testing/events';
import { describe, expect, test } from 'vitest';
import { transcriptRenderer } from './endpoint.ts';
import { subtitles } from './types.ts';

test('a transcript of another format is streamed as its text, its end and the mark of the end', () => {
  const context = { requestId: 'req_1', created: 0 };
  const writer = transcriptRenderer({ format: 'json', task: 'transcribe' }).stream?.(context);
  const result = { type: 'transcript', text: 'Hi.' } as const;
  expect(writer?.add({ type: 'result', result })).toBe('');
  expect(writer?.add(finish('stop', { usage: null }))?.split('\n\n')).toEqual([
    'data: {"type":"transcript.text.delta","delta":"Hi."}',
    'data: {"type":"transcript.text.done","text":"Hi."}',
    ...['data: [DONE]', ''],
  ]);
});

describe('subtitles', () => {
  const segments = [
    { id: '0', start: 0, end: 1.5, text: ' Hello,\n\nworld' },
    { id: '1', start: 3_661.0004, end: 3_662.25, text: 'bye' },
  ] as never;

  test('segments become SRT', () => {
    expect(subtitles({ text: '', segments }, 'srt')).toBe(
      '1\n00:00:00,000 --> 00:00:01,500\nHello,\nworld\n\n2\n01:01:01,000 --> 01:01:02,250\nbye\n\n',
    );
  });

  test('segments become WebVTT', () => {
    expect(subtitles({ text: '', segments }, 'vtt')).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello,\nworld\n\n01:01:01.000 --> 01:01:02.250\nbye\n\n',
    );
  });

  test.each([undefined, [], [{ id: '0', text: 'no times' }], [{ id: '0', start: 2, end: 'x', text: 'a' }]])(
    'segments %j have no times',
    wrong => expect(subtitles({ text: 'a', segments: wrong as never }, 'srt')).toBeUndefined(),
  );
});
