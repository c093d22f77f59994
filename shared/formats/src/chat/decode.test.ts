import type { GenerateEvent } from '@model-gateway/canonical';
import { passed, readAll } from '@model-gateway/canonical/testing/events';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { decodeStream, WholeDecoder } from './decode.ts';

const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...fields })}\n\n`;
const text = (content: string, index = 0) =>
  chunk({ choices: [{ index, delta: { content }, finish_reason: null }] });
const ends = (finish_reason = 'stop', index = 0) => chunk({ choices: [{ index, delta: {}, finish_reason }] });
const rawUsage = {
  ...{ prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
  prompt_tokens_details: { cached_tokens: 2 },
  completion_tokens_details: { reasoning_tokens: 1 },
};
const usage = chunk({ choices: [], usage: rawUsage });
const done = 'data: [DONE]\n\n';

/** The events that are sent to the client, and the last of them. */
function decode(stream: string, { showUsage = false, size = 1e9 } = {}) {
  const events = readAll(decodeStream({ showUsage }), stream, size);
  const others = events.filter(({ type }) => type !== 'verbatim');
  return { sent: passed(events), last: events.at(-1), ends: others.length };
}

describe('a stream', () => {
  const whole = `${text('Hél')}: ping\n\n${text('lo\u2028"finish_reason":"stop"')}${ends()}${usage}${done}`;

  test.each([1, 3, 1e9])(
    'a stream read %i bytes at a time passes every byte but a usage that was not asked for',
    size => {
      const { sent, last, ends } = decode(whole, { size });
      expect(sent).toBe(whole.replace(usage, ''));
      const counts = { input: 9, cachedInput: 2, output: 4, reasoning: 1, audioInput: 0, raw: rawUsage };
      expect(last).toMatchObject({ type: 'finish', reason: 'stop', raw: 'stop', usage: counts });
      expect(ends).toBe(1);
      const crlf = whole.replaceAll('\n', '\r\n');
      for (const asked of [whole, crlf]) expect(decode(asked, { showUsage: true, size }).sent).toBe(asked);
    },
  );

  test('the last usage replaces earlier ones if every chunk has one', () => {
    const both = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: rawUsage });
    const counts = { prompt_tokens: 9, completion_tokens: 1 };
    const early = chunk({ choices: [{ index: 0, delta: { content: 'x' } }], usage: counts });
    expect(decode(early + both + done)).toMatchObject({
      ...{ sent: early + both + done, last: { usage: { input: 9, output: 4 } } },
    });
  });

  test.each([
    ['truncated before any finish reason', text('a')],
    ['truncated inside an event', text('a') + ends().slice(0, 30)],
    ['empty', ''],
    ['only a comment', ': ping\n\n'],
    ['ended by [DONE] without a finish reason and without content', text('') + done],
    ['ended without a finish reason and without [DONE]', text('a') + usage],
    ['ended before each choice has a finish reason', text('a') + text('b', 1) + ends()],
    ['begun again by another choice', text('a') + ends() + text('b', 1)],
    ['ended by [DONE] before each choice has a finish reason', text('a') + text('b', 1) + ends() + done],
  ])('a stream that is %s becomes an error', (_what, stream) => {
    expect(decode(stream).last).toMatchObject({ type: 'error', kind: 'upstream' });
  });

  test.each([
    ['usage, so that it is whole', text('a') + usage + done, 'stop'],
    ['usage alone', text('') + usage + done, 'stop'],
    ['nothing more, so that it may be cut off', text('a') + done, 'length'],
    ['an empty finish reason', text('a') + ends('') + done, 'length'],
  ])('a stream that ends with [DONE], without a finish reason, and with %s finishes', (_, stream, reason) => {
    expect(decode(stream).last).toMatchObject({ type: 'finish', reason, raw: null });
  });

  test('an error without content in each chunk is none', () => {
    const error = { code: 0, message: '' };
    const stream = [
      chunk({ error, choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] }),
      chunk({ error, choices: [], usage: rawUsage }),
    ];
    expect(decode(stream.join('') + done).last).toMatchObject({ type: 'finish', usage: { input: 9 } });
  });

  test.each([
    [{ message: { role: 'assistant', content: 'a' } }, { role: 'assistant', content: 'a' }],
    [{ text: 'a' }, { content: 'a' }],
    [{ delta: 'a' }, { content: 'a' }],
  ])('content in place of a delta is passed on as one: %j', (fields, delta) => {
    const odd = chunk({ choices: [{ index: 0, finish_reason: null, ...fields }], x: 1 });
    const stream = odd + odd + ends() + done;
    const events = readAll(decodeStream({ showUsage: true }), stream);
    const [first = '', second] = passed(events).split('\n\n');
    expect(JSON.parse(first.slice(6)).choices).toEqual([{ index: 0, finish_reason: null, delta }]);
    expect(second).toBe(first);
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  });

  test('a stream whose choice counts up its index is whole if one choice is requested', () => {
    const stream = text('a') + text('b', 1) + ends('stop', 2) + done;
    const read = (wantsOne: () => boolean) => readAll(decodeStream({ showUsage: true, wantsOne }), stream);
    expect(read(() => true).at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
    // Clients assemble choices by their index.
    expect(passed(read(() => true)).match(/"index":\d/g)).toEqual(['"index":0', '"index":0', '"index":0']);
    expect(read(() => false).at(-1)).toMatchObject({ type: 'error' });
  });

  test.each([
    [text('a') + ends() + usage, { complete: true, mayGoOn: false }],
    [text('a') + ends(), { complete: true, mayGoOn: true }],
    [
      chunk({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }], usage: rawUsage }),
      { complete: true, mayGoOn: true },
    ],
    [ends() + usage, { complete: true, mayGoOn: true }],
    [text('a') + ends() + usage + text('b'), { complete: false }],
    [text('a') + text('a') + ends() + usage + text('b'), { complete: false }],
    [text('a') + ends() + usage + text('b') + ends(), { complete: true, mayGoOn: false }],
  ])('after %j the stream is %j', (stream, state) => {
    const decoder = decodeStream({ showUsage: true });
    for (const event of stream.split(/(?<=\n\n)/)) decoder.read(Buffer.from(event));
    expect(decoder).toMatchObject(state);
  });

  test('a stream of several choices is complete when each has ended', () => {
    expect(decode(text('a') + text('b', 1) + ends() + ends('length', 1)).last).toMatchObject({
      type: 'finish',
    });
  });

  test.each([
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
  ])('a stream with the invalid event %j passes the events before it, and nothing after', broken => {
    const { sent, last, ends: count } = decode(`: hi\n\n${text('a')}${broken}${ends()}${done}`);
    expect([sent, last?.type, count]).toEqual([`: hi\n\n${text('a')}`, 'error', 1]);
  });

  test('a stream with only comments before an error sends nothing, so that a retry is possible', () => {
    const failed = decode(': processing\n\ndata: {"error":{"message":"boom"}}\n\n');
    expect(failed).toMatchObject({ sent: '', ends: 1 });
  });

  test('a stream with an event above the size limit becomes an error', () => {
    const decoder = decodeStream({ showUsage: false });
    const events = Array.from({ length: 40 }, () => decoder.read(Buffer.alloc(1024 * 1024, 'x'))).flat();
    expect(events).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  });
});

const whole = (body: string): GenerateEvent[] => readAll(new WholeDecoder(), body, 20);

test('a non-streamed response keeps its bytes', () => {
  const body = '{ "choices": [{"finish_reason":"length"}], "big": 12345678901234567890 }';
  const head = { status: 200, mediaType: 'application/json', length: body.length };
  expect(whole(body)).toMatchObject([
    { type: 'verbatim', bytes: Buffer.from(body), whole: head },
    { type: 'finish', reason: 'length', usage: null },
  ]);
});

test('a non-streamed response is passed on without an error that says nothing', () => {
  const body = '{ "error": {"code":0}, "choices": [{"finish_reason":"stop"}], "big": 12345678901234567890 }';
  const sent = '{"choices": [{"finish_reason":"stop"}],"big": 12345678901234567890}';
  expect(whole(body)).toMatchObject([
    { bytes: Buffer.from(sent), whole: { length: sent.length } },
    { type: 'finish' },
  ]);
});

test.each(
  rows<[object, string]>`
  - [{choices: [{message: {content: Hi}, finish_reason: null}]}, stop]
  - [{choices: [{message: {content: Hi, function_call: {name: '', arguments: ''}}, finish_reason: ''}]}, stop]
  - [{choices: [{message: {content: null, tool_calls: [{}]}}]}, stop]
  - [{choices: [{text: Hi, finish_reason: ''}]}, stop]
  - [{choices: [{message: {content: Hi}, finish_reason: length}], error: {}}, length]
  - [{choices: [{message: {content: Hi}, finish_reason: stop}], error: {code: 0, message: ''}}, stop]
`,
)('a non-streamed response with content is whole, whatever lacks: %j', (body, reason) => {
  expect(whole(JSON.stringify(body)).at(-1)).toMatchObject({ type: 'finish', reason });
});

test.each(
  rows<[object, string]>`
  - [{choices: [{index: 0, finish_reason: error, error: {code: 502, message: Gone.}}]}, Gone.]
  - [{choices: [{finish_reason: stop}, {finish_reason: error}]}, The upstream failed.]
  - [{object: error, message: boom, code: 500}, boom]
  - [{error: {message: boom}}, boom]
  - [{error: boom}, boom]
  - [{detail: boom}, boom]
  - [{choices: [{message: {content: null}, finish_reason: null}]}, The upstream ended its answer too early.]
  - [{error: {}}, The upstream failed.]
  - [{choices: []}, The upstream sent a malformed answer.]
  - [{choices: [null]}, The upstream sent a malformed answer.]
`,
)('a non-streamed response that failed is an error: %j', (body, message) => {
  expect(whole(JSON.stringify(body))).toMatchObject([{ type: 'error', kind: 'upstream', message }]);
});
