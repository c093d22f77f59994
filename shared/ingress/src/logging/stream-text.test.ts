import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { StreamText } from './stream-text.ts';

function textOf(sse: string, most = 10_000, step = 11): { text: string; cut: boolean } {
  const stream = new StreamText(most, () => true);
  const bytes = Buffer.from(sse);
  for (let at = 0; at < bytes.length; at += step) stream.add(bytes.subarray(at, at + step));
  return stream.end();
}

const sseOf = (events: readonly object[], named = false) =>
  events
    .map(event => {
      const name = named ? `event: ${(event as { type: string }).type}\n` : '';
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join('');
const eventsOf = ({ text }: { text: string }) =>
  text
    .split('\n\n')
    .filter(event => event !== '')
    .map(event => event.slice(event.indexOf('data: ') + 6))
    .map(data => (data === '[DONE]' ? data : JSON.parse(data)));

describe('events that differ only in a piece of text are joined', () => {
  test('in chat, by choice and by tool call, also where they take turns', () => {
    const chunk = (index: number, delta: object, usage: object | null = null) => ({
      ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
      choices: [{ index, delta, finish_reason: null, logprobs: { content: [{ token: 'x' }] } }],
      usage,
    });
    const call = (index: number, text: string) => ({
      tool_calls: [{ index, function: { arguments: text } }],
    });
    const sse = sseOf([
      chunk(0, { role: 'assistant', content: '' }),
      chunk(0, { content: 'Hel' }, { completion_tokens: 1 }),
      chunk(1, { content: 'Good' }),
      chunk(0, { content: 'lo' }, { completion_tokens: 2 }),
      chunk(1, { content: 'bye' }),
      chunk(0, call(0, '{"a"')),
      chunk(0, call(1, '[')),
      chunk(0, call(0, ':1}')),
      chunk(0, call(1, ']')),
    ]);
    const found = eventsOf(textOf(`: comment\n\n${sse}data: [DONE]\n\n`));
    expect(found.map(event => event.choices?.[0].delta ?? event)).toEqual([
      { role: 'assistant', content: '' },
      { content: 'Hello' },
      { content: 'Goodbye' },
      call(0, '{"a":1}'),
      call(1, '[]'),
      '[DONE]',
    ]);
    expect(found[1]).toMatchObject({ usage: { completion_tokens: 2 } });
    expect(JSON.stringify(found)).not.toContain('logprobs');
  });

  test('in messages', () => {
    const delta = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
    const sse = sseOf(
      [
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        delta(0, { type: 'text_delta', text: 'Hel' }),
        { type: 'ping' },
        delta(0, { type: 'text_delta', text: 'lo' }),
        { type: 'content_block_stop', index: 0 },
        delta(1, { type: 'input_json_delta', partial_json: '{"a":' }),
        delta(1, { type: 'input_json_delta', partial_json: '1}' }),
      ],
      true,
    );
    const found = textOf(sse);
    expect(found.text).toMatch(/^event: content_block_start\ndata: /);
    expect(eventsOf(found)).toEqual([
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      delta(0, { type: 'text_delta', text: 'Hello' }),
      { type: 'ping' },
      { type: 'content_block_stop', index: 0 },
      delta(1, { type: 'input_json_delta', partial_json: '{"a":1}' }),
    ]);
  });

  test('in responses, whatever their sequence numbers are', () => {
    const delta = (sequence_number: number, delta: string) => ({
      ...{ type: 'response.output_text.delta', sequence_number, item_id: 'i', output_index: 0 },
      ...{ content_index: 0, delta, logprobs: [], obfuscation: 'x'.repeat(sequence_number) },
    });
    expect(eventsOf(textOf(sseOf([delta(1, 'Hel'), delta(2, 'lo')], true)))).toMatchObject([
      { delta: 'Hello', sequence_number: 2 },
    ]);
  });

  test('in generate content, but not thoughts with answers', () => {
    const chunk = (part: object, totalTokenCount: number) => ({
      candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }],
      usageMetadata: { totalTokenCount },
    });
    const sse = sseOf([
      chunk({ text: 'Hm', thought: true }, 1),
      chunk({ text: 'Hel' }, 2),
      chunk({ text: 'lo' }, 3),
    ]);
    expect(eventsOf(textOf(sse))).toEqual([
      chunk({ text: 'Hm', thought: true }, 1),
      chunk({ text: 'Hello' }, 3),
    ]);
  });
});

test('data in base64 is replaced by its size, in each piece', () => {
  const audio = randomBytes(3_000).toString('base64');
  const chunk = (audio: object) => ({ choices: [{ index: 0, delta: { audio } }] });
  const sse = sseOf([chunk({ data: audio, transcript: 'Hel' }), chunk({ data: audio, transcript: 'lo' })]);
  expect(eventsOf(textOf(sse, 1_000))).toEqual([
    chunk({ data: '[3000 bytes omitted][3000 bytes omitted]', transcript: 'Hello' }),
  ]);
});

test('the beginning of a long stream is kept', () => {
  const event = (delta: string) => ({ type: 'transcript.text.delta', delta });
  const sse = sseOf([...Array.from({ length: 100 }, (_, i) => event(`word ${i} `)), { type: 'end' }]);
  const { text, cut } = textOf(sse, 200);
  expect(cut).toBe(true);
  expect(text).toContain('word 0 word 1 word 2 ');
  expect(text.length).toBeLessThan(300);
  expect(text).not.toContain('end');
});

test('an event that is not complete is left out, and the text is cut', () => {
  expect(textOf('data: {"text":"a"}\n\ndata: {"te')).toEqual({ text: 'data: {"text":"a"}\n\n', cut: true });
});
