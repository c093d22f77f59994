import { describe, expect, test } from 'vitest';
import type { StreamFormat } from './event-stream.ts';
import { judgeStream, judgeWhole, type Received } from './outcome.ts';

const received = (body: string, more: Partial<Received> = {}): Received => ({
  ...{ status: 200, body: Buffer.from(body) },
  ...more,
});
const data = (...events: unknown[]) => events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('');

const pieces: Record<StreamFormat, { opening: unknown; word: unknown; end: string; error: string }> = {
  chat: {
    opening: { choices: [{ delta: { role: 'assistant' } }] },
    word: { choices: [{ delta: { content: 'word' } }] },
    end: 'data: [DONE]\n\n',
    error: data({ error: { message: 'lost' } }),
  },
  messages: {
    opening: { type: 'message_start' },
    word: { type: 'content_block_delta', delta: { type: 'text_delta', text: 'word' } },
    end: data({ type: 'message_stop' }),
    error: `event: error\n${data({ type: 'error', error: { message: 'lost' } })}`,
  },
  'generate-content': {
    opening: { usageMetadata: {} },
    word: { candidates: [{ content: { parts: [{ text: 'word' }] } }] },
    end: data({ candidates: [{ finishReason: 'STOP' }] }),
    error: data({ error: { code: 502, message: 'lost' } }),
  },
  responses: {
    opening: { type: 'response.created', response: { error: null } },
    word: { type: 'response.output_text.delta', delta: 'word' },
    end: data({ type: 'response.completed' }),
    error: data({ type: 'response.failed' }),
  },
};

describe.each(Object.keys(pieces) as StreamFormat[])('a stream of %s', format => {
  const { opening, word, end, error } = pieces[format];
  const judge = (body: string, more?: Partial<Received>) => judgeStream(received(body, more), format, 'word');

  test.each([
    ['clean', data(word) + end],
    ['clean', `: ping\n\n${data(word)}${end}`],
    ['cut', data(word) + error],
    ['cut', data(opening) + error],
    ['failed', error],
    ['failed', `: ping\n\nevent: ping\n${data({ type: 'ping' })}${error}`],
    ['false', data(word)],
    ['false', data(word, word) + end],
    ['false', end],
    ['false', ''],
  ])('a stream counts as %s: %j', (outcome, body) => expect(judge(body)).toBe(outcome));

  test('a stream is broken if its connection ends after a part of it, and failed if before', () => {
    expect(judge(data(word), { broken: 'reset' })).toBe('broken');
    expect(judge('', { broken: 'reset' })).toBe('failed');
    expect(judge('', { status: 503 })).toBe('failed');
  });
});

test('a non-streamed response is judged by its status, end and content', () => {
  const judge = (body: string, more?: Partial<Received>) =>
    judgeWhole(received(body, more), bytes => JSON.parse(bytes.toString()).text, 'word');
  expect(judge('{"text":"word"}')).toBe('clean');
  expect(judge('{"text":"other"}')).toBe('false');
  expect(judge('{"te')).toBe('false');
  expect(judge('{"te', { broken: 'reset' })).toBe('broken');
  expect(judge('', { status: 0, broken: 'refused' })).toBe('failed');
  expect(judge('{}', { status: 503 })).toBe('failed');
});
