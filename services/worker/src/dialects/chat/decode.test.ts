import type { GenerateEvent } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { decodeStream, WholeDecoder } from './decode.ts';

const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...fields })}\n\n`;
const text = (content: string, index = 0) =>
  chunk({ choices: [{ index, delta: { content }, finish_reason: null }] });
const finish = (reason = 'stop', index = 0) =>
  chunk({ choices: [{ index, delta: {}, finish_reason: reason }] });
const rawUsage = {
  prompt_tokens: 9,
  completion_tokens: 4,
  total_tokens: 13,
  prompt_tokens_details: { cached_tokens: 2 },
  completion_tokens_details: { reasoning_tokens: 1 },
};
const usage = chunk({ choices: [], usage: rawUsage });
const done = 'data: [DONE]\n\n';

/** Returns the bytes sent to the client, and the last event. */
function decode(stream: string, { showUsage = false, size = stream.length } = {}) {
  const decoder = decodeStream({ showUsage });
  const bytes = Buffer.from(stream);
  const events: GenerateEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...decoder.read(bytes.subarray(at, at + size)));
  events.push(...decoder.end());
  const passed = Buffer.concat(events.flatMap(e => (e.type === 'verbatim' ? [e.bytes] : []))).toString();
  return { passed, last: events.at(-1), ends: events.filter(e => e.type !== 'verbatim').length };
}

describe('a stream', () => {
  const whole = `${text('Hél')}: ping\n\n${text('lo\u2028"finish_reason":"stop"')}${finish()}${usage}${done}`;

  test.each([1, 2, 3, 7, 64, 100_000])(
    'a stream read %i bytes at a time passes every byte except the usage chunk',
    size => {
      const { passed, last, ends } = decode(whole, { size });
      expect(passed).toBe(whole.replace(usage, ''));
      expect(last).toMatchObject({ type: 'finish', reason: 'stop', raw: 'stop' });
      expect(ends).toBe(1);
    },
  );

  test('a stream passes the usage chunk to a client that requested it', () => {
    expect(decode(whole, { showUsage: true }).passed).toBe(whole);
  });

  test('a stream reports its usage even if the client did not request it', () => {
    const expected = { input: 9, cachedInput: 2, output: 4, reasoning: 1, audioInput: 0, raw: rawUsage };
    expect(decode(whole).last).toMatchObject({ usage: expected });
  });

  test('the last usage replaces earlier ones if every chunk has one', () => {
    const both = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: rawUsage });
    const early = chunk({
      choices: [{ index: 0, delta: { content: 'x' } }],
      usage: { prompt_tokens: 9, completion_tokens: 1 },
    });
    const { last, passed } = decode(early + both + done);
    expect(last).toMatchObject({ usage: { input: 9, output: 4 } });
    expect(passed).toBe(early + both + done);
  });

  test('a stream with CRLF line ends passes unchanged', () => {
    const crlf = whole.replaceAll('\n', '\r\n');
    expect(decode(crlf, { showUsage: true, size: 3 }).passed).toBe(crlf);
  });

  test('a stream of several choices is complete only when each has ended', () => {
    const half = text('a') + text('b', 1) + finish('stop', 0);
    expect(decode(half).last).toMatchObject({ type: 'error', kind: 'upstream' });
    expect(decode(half + finish('length', 1)).last).toMatchObject({ type: 'finish' });
    const late = text('a') + finish('stop', 0) + text('b', 1);
    expect(decode(late).last).toMatchObject({ type: 'error' });
  });

  test.each([
    ['truncated before any finish reason', text('a')],
    ['truncated inside an event', text('a') + finish().slice(0, 30)],
    ['empty', ''],
    ['only a comment', ': ping\n\n'],
    ['ended by [DONE] without a finish reason', text('a') + done],
    ['ended by [DONE] before each choice has a finish reason', text('a') + text('b', 1) + finish() + done],
  ])('a stream that is %s becomes an error', (_what, stream) => {
    expect(decode(stream).last).toMatchObject({ type: 'error', kind: 'upstream' });
  });

  test('a stream with an invalid event passes the events before it, and nothing after', () => {
    for (const broken of [
      'data: {"choices":{"a":1}}\n\n',
      'data: {"choices":[null]}\n\n',
      'data: {"choices": [}\n\n',
      'data: []\n\n',
      'data: {"error":{"message":"boom"}}\n\n',
      'data: {"object":"error","message":"boom","type":"BadRequestError","code":400}\n\n',
      'event: error\ndata: {"message":"boom","code":500}\n\n',
      'data: {"message":"boom","code":500}\n\n',
      'data: {"detail":"boom"}\n\n',
      'data: {"error":"boom"}\n\n',
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'error' }] }),
    ]) {
      const { passed, last, ends } = decode(`: hi\n\n${text('a')}${broken}${finish()}${done}`);
      expect(passed).toBe(`: hi\n\n${text('a')}`);
      expect(last?.type).toBe('error');
      expect(ends).toBe(1);
    }
  });

  test('a stream with only comments before an error sends nothing, so that a retry is possible', () => {
    expect(decode(': processing\n\ndata: {"error":{"message":"boom"}}\n\n')).toMatchObject({
      passed: '',
      ends: 1,
    });
  });

  test('a stream with an event above the size limit becomes an error', () => {
    const decoder = decodeStream({ showUsage: false });
    const piece = Buffer.alloc(1024 * 1024, 'x');
    const events = Array.from({ length: 40 }, () => decoder.read(piece)).flat();
    expect(events).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  });
});

test('a non-streamed response keeps its bytes', () => {
  const body = '{ "choices": [{"finish_reason":"length"}], "big": 12345678901234567890 }';
  const decoder = new WholeDecoder();
  decoder.read(Buffer.from(body.slice(0, 20)));
  decoder.read(Buffer.from(body.slice(20)));
  expect(decoder.end()).toMatchObject([
    {
      type: 'verbatim',
      bytes: Buffer.from(body),
      whole: { status: 200, mediaType: 'application/json', length: body.length },
    },
    { type: 'finish', reason: 'length', usage: null },
  ]);
});

test.each<[object, string]>([
  [{ choices: [{ index: 0, finish_reason: 'error', error: { code: 502, message: 'Gone.' } }] }, 'Gone.'],
  [{ choices: [{ finish_reason: 'stop' }, { finish_reason: 'error' }] }, 'The upstream failed.'],
  [{ object: 'error', message: 'boom', code: 500 }, 'boom'],
  [{ error: { message: 'boom' } }, 'boom'],
  [{ error: 'boom' }, 'boom'],
  [{ detail: 'boom' }, 'boom'],
  [
    { choices: [{ message: { content: 'x' }, finish_reason: null }] },
    'The upstream ended its answer too early.',
  ],
  [{ choices: [] }, 'The upstream sent a malformed answer.'],
  [{ choices: [null] }, 'The upstream sent a malformed answer.'],
])('a non-streamed response that failed is an error: %j', (body, message) => {
  const decoder = new WholeDecoder();
  decoder.read(Buffer.from(JSON.stringify(body)));
  expect(decoder.end()).toMatchObject([{ type: 'error', kind: 'upstream', message }]);
});
