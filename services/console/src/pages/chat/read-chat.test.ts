import { describe, expect, test } from 'vitest';
import { Problem } from '../problem.ts';
import type { Piece } from './chunk.ts';
import { readChat } from './read-chat.ts';

const event = (data: unknown) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const delta = (delta: object, finish_reason: string | null = null) =>
  event({ id: 'c', choices: [{ index: 0, delta, finish_reason }] });
const counted = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const hello = delta({ role: 'assistant', content: 'Héllo' });
const end = delta({}, 'stop');
const done = event('[DONE]');

/** Makes a stream with reads of `size` bytes. With `breaks`, it fails instead of ending. */
function streamOf(text: string, size = 1e6, breaks = false): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) {
        controller.enqueue(bytes.slice(at, at + size));
        at += size;
      } else if (breaks) controller.error(new TypeError('network error'));
      else controller.close();
    },
  });
}

async function read(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const pieces: Piece[] = [];
  try {
    for await (const piece of readChat(stream)) pieces.push(piece);
    return { pieces };
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown;
    return { pieces, problem: thrown };
  }
}

describe('a complete stream', () => {
  test.each([1e6, 7, 1])('is parsed from reads of %d bytes', async size => {
    const text =
      ': ping\n\n' +
      delta({ reasoning_content: 'Hm' }) +
      hello +
      delta({ content: ' 🌍' }) +
      end +
      event({ choices: [], usage: counted }) +
      done;
    expect(await read(streamOf(text, size))).toEqual({
      pieces: [
        { type: 'reasoning', text: 'Hm' },
        { type: 'text', text: 'Héllo' },
        { type: 'text', text: ' 🌍' },
        { type: 'finish', reason: 'stop' },
        { type: 'usage', usage: { prompt_tokens: 3, completion_tokens: 2 } },
      ],
    });
  });

  test('may contain usage in its last chunk, a refusal, or reasoning by its other name', async () => {
    const { pieces, problem } = await read(
      streamOf(
        delta({ reasoning: 'Hm' }) +
          delta({ refusal: 'No.' }) +
          event({ choices: [{ delta: {}, finish_reason: 'stop' }], usage: counted }) +
          done,
      ),
    );
    expect([pieces.map(({ type }) => type), problem]).toEqual([
      ['reasoning', 'text', 'finish', 'usage'],
      undefined,
    ]);
  });

  test('ends with [DONE], whatever follows', async () => {
    expect((await read(streamOf(`${hello}${done}data: nonsense\n\n`))).problem).toBeUndefined();
  });

  test('may lack [DONE] after its finish reason', async () => {
    expect((await read(streamOf(hello + end))).problem).toBeUndefined();
  });
});

test.each([
  ['is empty', '', 0],
  ['has no finish reason', hello, 1],
  ['ends within an event', hello + end.slice(0, -2), 1],
])('a stream that %s is reported as cut off', async (_what, text, pieces) => {
  const read_ = await read(streamOf(text));
  expect([read_.pieces.length, read_.problem?.facts.code]).toEqual([pieces, 'cut_off']);
});

test('a connection that breaks is an error, even after the finish reason', async () => {
  const { pieces, problem } = await read(streamOf(hello + end, 1e6, true));
  expect([pieces.length, problem?.facts.code]).toEqual([2, 'cut_off']);
});

test('an error event ends the stream, after the pieces before it', async () => {
  const failure = { error: { message: 'GPU on fire', type: 'server_error', param: null, code: 'boom' } };
  const { pieces, problem } = await read(streamOf(hello + event(failure) + done));
  expect(pieces).toEqual([{ type: 'text', text: 'Héllo' }]);
  expect([problem?.message, problem?.facts.code]).toEqual(['GPU on fire', 'boom']);
});

test.each(['{"choices":', '[]', '{"choices":[{"delta":{"content":1}}]}', 'null'])(
  'an event with the data %s is reported as not_a_stream',
  async data => {
    expect((await read(streamOf(hello + event(data) + done))).problem?.facts.code).toBe('not_a_stream');
  },
);

test('a reader that stops closes the stream', async () => {
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: controller => controller.enqueue(new TextEncoder().encode(hello)),
    cancel: () => {
      cancelled = true;
    },
  });
  for await (const _piece of readChat(endless)) break;
  await expect.poll(() => cancelled).toBe(true);
});
