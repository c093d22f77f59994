import { finish } from '@model-gateway/canonical/testing/events';
import { expect, test } from 'vitest';
import { transcriptRenderer } from './render.ts';

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
