import { folded, passed, readAll } from '@model-gateway/canonical/testing/events';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { encodeInput } from '../testing/encode-input.ts';
import { example } from '../testing/examples.ts';
import { sse, testFixtures } from '../testing/fixtures.ts';
import { decodeStream, WholeDecoder } from './decode.ts';
import { responsesDialect } from './dialect.ts';

const event = (type: string, fields: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const response = (status: string, fields: object = {}) => ({
  response: { id: 'resp_1', object: 'response', model: 'm', status, output: [], ...fields },
});
const created = event('response.created', response('in_progress'));
const delta = event('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'Hi' });
const done = (at: number, item: object) => event('response.output_item.done', { output_index: at, item });
const rawUsage = { input_tokens: 9, output_tokens: 4 };
const completed = event('response.completed', response('completed', { usage: rawUsage }));
const says = (value: string, more: object = {}) => ({
  ...{ type: 'message', content: [{ type: 'output_text', text: value }] },
  ...more,
});
const calls = (call_id: string | undefined) => ({
  type: 'function_call',
  call_id,
  name: 'f',
  arguments: '{}',
});

const target = { toolName: (name: string) => `my ${name}`, seed: 'req_1', sameFormat: false };
const translated = (stream: string) => readAll(decodeStream(target), stream);
testFixtures(import.meta.dirname, 'decode', (events: object[]) => translated(sse(events)));

function verbatim(stream: string) {
  const events = readAll(decodeStream({ verbatim: true }), stream);
  return { sent: passed(events), last: events.at(-1) };
}

describe('a verbatim stream', () => {
  test('a verbatim stream is held back until it has content, so that failover stays possible', () => {
    const failed = event('response.failed', response('failed', { error: { code: 'server_is_overloaded' } }));
    expect(verbatim(created + failed)).toMatchObject({ sent: '', last: { kind: 'overloaded' } });
    const decoder = decodeStream({ verbatim: true });
    expect(decoder.read(Buffer.from(created))).toEqual([]);
    expect(decoder.read(Buffer.from(delta))).toMatchObject([{ bytes: Buffer.from(created + delta) }]);
  });

  test('unknown events and unknown field types pass verbatim', () => {
    const odd = event('acme:x') + event('response.output_item.done', { item: 'odd' }) + completed;
    expect(verbatim(odd)).toMatchObject({ sent: odd, last: { type: 'finish' } });
  });

  test('[DONE] is accepted after the final event, but not instead of it', () => {
    const mark = 'data: [DONE]\n\n';
    const all = delta + completed + mark;
    expect(verbatim(all)).toMatchObject({ sent: delta + completed, last: { type: 'finish' } });
    expect(verbatim(delta + mark)).toMatchObject({ sent: delta, last: { type: 'error', kind: 'upstream' } });
  });

  test('nothing is passed on after the final event, and a second response is an error', () => {
    const again = created + delta + completed;
    expect(verbatim(again + again)).toMatchObject({ sent: again, last: { type: 'finish' } });
    const other = created.replace('resp_1', 'resp_2');
    for (const read of [
      (stream: string) => verbatim(stream).last,
      (stream: string) => translated(stream).at(-1),
    ]) {
      expect(read(created + delta + other + delta + completed)).toMatchObject({
        message: 'The upstream sent two answers in place of one.',
      });
      expect(read(created + delta + created + delta + completed)).toMatchObject({ type: 'finish' });
    }
  });

  test('characters and usage are available mid-stream', () => {
    const decoder = decodeStream({ verbatim: true });
    decoder.read(Buffer.from(delta + delta));
    expect([decoder.characters, decoder.usage]).toEqual([4, null]);
    decoder.read(Buffer.from(completed));
    expect(decoder.usage).toMatchObject({ input: 9, output: 4, raw: rawUsage });
  });
});

describe('a translated stream', () => {
  test.each([
    ['completed', 'tool-calls'],
    ['max_output_tokens', 'length'],
    ['content_filter', 'content-filter'],
  ])('a response with a call that ends for %s finishes with %s (pitfalls 9, 10)', (why, reason) => {
    const status = why === 'completed' ? 'completed' : 'incomplete';
    const incomplete_details = status === 'incomplete' ? { reason: why } : null;
    const output = [calls('c')];
    const end = event(`response.${status}`, response(status, { incomplete_details, output }));
    for (const read of [translated, (stream: string) => [verbatim(stream).last]])
      expect(read(done(0, calls('c')) + end).at(-1)).toMatchObject({ type: 'finish', reason });
  });

  const boom = { code: 'server_error', message: 'boom' };
  test.each(
    rows<[string, object, string, object]>`
    - [completed, {status: failed, error: {code: server_error, message: boom}}, error, {kind: upstream, message: boom}]
    - [completed, {status: failed, error: null}, error, {kind: upstream, message: The upstream failed.}]
    - [completed, {status: cancelled}, error, {kind: upstream, message: The upstream cancelled its answer.}]
    - [incomplete, {status: failed, error: {code: rate_limit_exceeded, message: boom}}, error, {kind: rate-limited}]
    - [completed, {status: completed, error: {code: context_length_exceeded, message: boom}}, error, {kind: invalid-request}]
    - [completed, {status: completed, error: {code: null, message: ''}}, finish, {reason: stop}]
    - [completed, {status: completed, incomplete_details: {reason: content_filter}}, finish, {reason: content-filter}]
    - [completed, {status: in_progress}, finish, {reason: stop}]
    - [incomplete, {status: completed}, finish, {reason: length}]
    - [completed, {status: incomplete, incomplete_details: null}, finish, {reason: length}]
  `,
  )('response.%s whose response has %j ends with %s', (type, fields, last, expected) => {
    const stream = delta + event(`response.${type}`, response('', fields));
    expect(translated(stream).at(-1)).toMatchObject({ type: last, ...expected });
    expect(verbatim(stream).last).toMatchObject({ type: last, ...expected });
  });

  test('a whole response that is completed and has an error failed', () => {
    const { response: body } = response('completed', { error: boom });
    const bytes = Buffer.from(JSON.stringify(body));
    expect(readAll(new WholeDecoder(), bytes)).toMatchObject([{ type: 'error', message: 'boom' }]);
  });

  test.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content-filter'],
    ['steered', 'other'],
  ])('a response that is incomplete for %s finishes with %s', (reason, expected) => {
    const fields = response('incomplete', { incomplete_details: { reason } });
    // Some upstreams end an incomplete response with the event of a complete one.
    for (const type of ['response.incomplete', 'response.completed']) {
      const cut = delta + event(type, fields);
      expect(translated(cut).at(-1)).toMatchObject({ type: 'finish', reason: expected, raw: reason });
      expect(verbatim(cut).last).toMatchObject({ type: 'finish', reason: expected });
    }
  });

  test.each([
    ['invalid JSON', 'data: {oops\n\n'],
    ['a delta that is not a string', event('response.output_text.delta', { output_index: 0, delta: 1 })],
    ['a call without a name', done(0, { type: 'function_call', call_id: 'c' })],
    ['a broken item', done(0, { type: 'message', content: 'x' })],
    ['a delta after the end of its item', done(0, says('x')) + delta],
  ])('a stream with %s is an error', (_what, broken) => {
    const first = delta.replace('"output_index":0', '"output_index":7');
    expect(translated(first + broken + completed).at(-1)).toMatchObject({ type: 'error', kind: 'upstream' });
  });

  test('the error of a malformed event says in its details which field is wrong', () => {
    expect(translated(created + event('response.output_text.delta', { delta: 7 })).at(-1)).toMatchObject({
      message: 'The upstream sent a malformed event.',
      fault: 'response.output_text.delta: delta: Invalid input: expected string, received number',
    });
  });

  test.each(
    rows<[string, object, object]>`
    - [server_error, {}, {kind: upstream}]
    - [rate_limit_exceeded, {}, {kind: rate-limited}]
    - [insufficient_quota, {}, {kind: quota-exceeded}]
    - [server_is_overloaded, {}, {kind: overloaded}]
    - [invalid_prompt, {}, {kind: invalid-request, code: invalid_prompt}]
    - [context_length_exceeded, {}, {kind: invalid-request, code: context_length_exceeded}]
    - [unknown_parameter, {type: invalid_request_error, param: top_p}, {kind: invalid-request, param: top_p, code: unknown_parameter}]
    - [invalid_api_key, {type: invalid_request_error}, {kind: upstream}]
  `,
  )('a response that failed with %s has the matching error kind', (code, more, expected) => {
    const error = { code, message: 'No.', ...more };
    const message = code === 'invalid_api_key' ? expect.stringMatching(/credential/) : 'No.';
    for (const stream of [
      event('response.failed', response('failed', { error })),
      `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`,
      `data: ${JSON.stringify({ error })}\n\n`,
    ])
      expect(translated(created + stream).at(-1)).toMatchObject({ ...expected, message });
  });
});

const whole = (value: object) => readAll(new WholeDecoder(), JSON.stringify(value), 5);
const { response: good } = response('completed', { output: [says('Hi')], usage: rawUsage });

test('a non-streamed response passes unchanged', () => {
  const bytes = Buffer.from(JSON.stringify(good));
  expect(whole(good)).toEqual([
    { type: 'verbatim', bytes, whole: { status: 200, mediaType: 'application/json', length: bytes.length } },
    ...[
      {
        type: 'finish',
        reason: 'stop',
        raw: 'completed',
        usage: expect.objectContaining({ input: 9, output: 4 }),
      },
    ],
  ]);
});

test.each<[string, object, object]>([
  [
    'the status failed',
    { ...good, status: 'failed', error: { code: 'x', message: 'Boom.' } },
    { message: 'Boom.' },
  ],
  [
    'the status cancelled',
    { ...good, status: 'cancelled' },
    { message: 'The upstream cancelled its answer.' },
  ],
  ['no end', { ...good, status: 'in_progress' }, { message: 'The upstream ended its answer too early.' }],
  ['an error body', { error: { code: 'insufficient_quota', message: 'Pay.' } }, { kind: 'quota-exceeded' }],
  ['an unknown shape', { x: 1 }, { message: 'The upstream sent a malformed answer.' }],
])('a non-streamed response with %s is an error', (_what, body, expected) => {
  expect(whole(body)).toMatchObject([{ type: 'error', ...expected }]);
});

test('a token count is a valid non-streamed response', () => {
  const [, end] = whole({ object: 'response.input_tokens', input_tokens: 42 });
  expect(end).toEqual({ type: 'finish', reason: 'stop', raw: null, usage: null });
});

describe('a non-streamed response to a stream request', () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gA' };
  const call = { ...calls('call_1'), id: 'fc_1', namespace: 'n' };
  const read = (part: object, how: 'parts' | 'own') => {
    const output = [
      reasoning,
      { type: 'message', content: [{ type: 'output_text', text: 'Hi', ...part }] },
      call,
    ];
    const sent = how === 'parts' ? { request: { messages: [] } } : { text: Buffer.from('{}') };
    const body = Buffer.from(JSON.stringify({ ...good, output }));
    return responsesDialect.decodeBody(body, encodeInput({ model: 'm', ...sent }));
  };

  test('a non-streamed response to a stream request becomes parts', () => {
    expect(folded(read({}, 'parts')).parts).toMatchObject([
      { type: 'reasoning', signature: { value: 'rs_1:gA' } },
      { type: 'text', text: 'Hi' },
      { type: 'tool-call', id: 'call_1', name: 'f', arguments: '{}' },
    ]);
  });

  test('items other than messages become opaque parts for clients of this format', () => {
    expect(folded(read({}, 'own')).parts).toEqual([
      { type: 'opaque', format: 'responses', value: reasoning },
      { type: 'text', text: 'Hi' },
      { type: 'opaque', format: 'responses', value: call },
    ]);
  });

  test('log probabilities, which parts cannot hold, are an error', () => {
    expect(read({ logprobs: [{ token: 'Hi' }] }, 'own')).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  });

  test('an error body is not decoded as a response', () => {
    const error = Buffer.from('{"error":{"message":"x"}}');
    const input = encodeInput({ model: 'm', request: { messages: [] } });
    expect(responsesDialect.decodeBody(error, input)).toBeUndefined();
  });
});

test.each(['text', 'reasoning-parallel-calls', 'refusal', 'custom-call', 'raw-reasoning'])(
  'the stream %s without output indexes, as llama.cpp sends it, has the same answer',
  name => {
    const stream = example('responses', name);
    const bare = stream.replace(/"output_index": ?\d+, ?|, ?"output_index": ?\d+/g, '');
    expect([stream, bare].map(text => text.includes('output_index'))).toEqual([true, false]);
    expect(translated(bare)).toEqual(translated(stream));
  },
);
