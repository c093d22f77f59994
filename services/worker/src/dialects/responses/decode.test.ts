import { readFileSync } from 'node:fs';
import { AnswerFold, type GenerateEvent } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import type { CanonicalInput, Decoder, VerbatimInput } from '../dialect.ts';
import { decodeStream, WholeDecoder } from './decode.ts';
import { responsesDialect } from './dialect.ts';

const example = (name: string) => readFileSync(new URL(`examples/${name}.sse`, import.meta.url), 'utf8');
const event = (type: string, fields: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const response = (status: string, fields: object = {}) => ({
  response: { id: 'resp_1', object: 'response', model: 'm', status, output: [], ...fields },
});
const created = event('response.created', response('in_progress'));
const delta = event('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'Hi' });
const rawUsage = { input_tokens: 9, output_tokens: 4 };
const completed = event('response.completed', response('completed', { usage: rawUsage }));

const target = { toolName: (name: string) => `my ${name}`, seed: 'req_1', sameFormat: false };

function read(decoder: Decoder, text: string, size = text.length): GenerateEvent[] {
  const bytes = Buffer.from(text);
  const events: GenerateEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...decoder.read(bytes.subarray(at, at + size)));
  return [...events, ...decoder.end()];
}

function verbatim(stream: string, size?: number) {
  const events = read(decodeStream({ verbatim: true }), stream, size);
  const passed = Buffer.concat(events.flatMap(e => (e.type === 'verbatim' ? [e.bytes] : []))).toString();
  return { passed, last: events.at(-1), ends: events.filter(e => e.type !== 'verbatim').length };
}

describe('a translated stream', () => {
  test.each(['text', 'reasoning-parallel-calls', 'refusal', 'custom-call', 'raw-reasoning'])(
    'the stream %s without output indexes, as llama.cpp sends it, has the same answer',
    name => {
      const translated = (stream: string) => read(decodeStream(target), stream);
      const stream = example(name);
      const bare = stream.replace(/"output_index": ?\d+, ?|, ?"output_index": ?\d+/g, '');
      expect(bare).not.toContain('output_index');
      expect(stream).toContain('output_index');
      expect(translated(bare)).toEqual(translated(stream));
    },
  );

  test('the error of a malformed event says in its details which field is wrong', () => {
    const wrong = event('response.output_text.delta', { delta: 7 });
    const [error] = read(decodeStream(target), created + wrong).slice(-1);
    expect(error).toMatchObject({
      message: 'The upstream sent a malformed event.',
      fault: 'response.output_text.delta: delta: Invalid input: expected string, received number',
    });
  });
});

describe('a verbatim stream', () => {
  test.each([1, 2, 7, 64, 1e6])('a verbatim stream read %i bytes at a time passes unchanged', size => {
    const stream = `: ping\n\n${example('reasoning-parallel-calls')}`;
    const { passed, last, ends } = verbatim(stream, size);
    expect(passed).toBe(stream);
    expect(last).toMatchObject({
      type: 'finish',
      reason: 'tool-calls',
      raw: 'completed',
      usage: { input: 950, cachedInput: 800, output: 70, reasoning: 40 },
    });
    expect(ends).toBe(1);
  });

  test.each([
    ['refusal', 'refusal'],
    ['incomplete', 'length'],
    ['web-search', 'stop'],
  ])('the verbatim stream %s finishes with %s', (name, reason) => {
    expect(verbatim(example(name)).last).toMatchObject({ type: 'finish', reason });
  });

  test.each(['failed', 'error'])(
    'a verbatim stream with %s passes the events before the failure only',
    name => {
      const { passed, last } = verbatim(example(name));
      expect(passed).toBe(example('truncated'));
      expect(last).toMatchObject({ type: 'error' });
    },
  );

  test('a verbatim stream is held back until it has content, so that failover stays possible', () => {
    const failed = event('response.failed', response('failed', { error: { code: 'server_is_overloaded' } }));
    expect(verbatim(created + failed)).toMatchObject({ passed: '', last: { kind: 'overloaded' } });
    const decoder = decodeStream({ verbatim: true });
    expect(decoder.read(Buffer.from(created))).toEqual([]);
    expect(decoder.read(Buffer.from(delta))).toMatchObject([{ bytes: Buffer.from(created + delta) }]);
  });

  test('unknown events and unknown field types pass verbatim', () => {
    const odd = event('acme:x') + event('response.output_item.done', { item: 'odd' });
    expect(verbatim(odd + completed)).toMatchObject({ passed: odd + completed, last: { type: 'finish' } });
  });

  test('[DONE] is accepted after the final event, but not instead of it', () => {
    const done = 'data: [DONE]\n\n';
    expect(verbatim(delta + completed + done)).toMatchObject({
      passed: delta + completed + done,
      last: { type: 'finish' },
    });
    expect(verbatim(delta + done)).toMatchObject({
      passed: delta,
      last: { type: 'error', kind: 'upstream' },
    });
  });

  test('characters and usage are available mid-stream', () => {
    const decoder = decodeStream({ verbatim: true });
    decoder.read(Buffer.from(delta + delta));
    expect(decoder.characters).toBe(4);
    expect(decoder.usage).toBeNull();
    decoder.read(Buffer.from(completed));
    expect(decoder.usage).toMatchObject({ input: 9, output: 4, raw: rawUsage });
  });
});

describe('a translated stream', () => {
  const parts = (stream: string, options = target) => {
    const fold = new AnswerFold();
    const events = read(decodeStream(options), stream);
    return { events, answer: events.map(e => fold.add(e)).at(-1), last: events.at(-1) };
  };

  test('the start event is sent once, before the first part', () => {
    const { events } = parts(delta + completed);
    expect(events.map(({ type }) => type)).toEqual([
      'start',
      'part-start',
      'part-delta',
      'part-end',
      'finish',
    ]);
    expect(parts(created + created + completed).events[0]).toEqual({
      type: 'start',
      id: 'resp_1',
      model: 'm',
    });
  });

  test('text missing from the deltas is taken from the done events', () => {
    const done = event('response.output_text.done', { output_index: 0, content_index: 0, text: 'Hi there' });
    const item = { type: 'message', content: [{ type: 'output_text', text: 'Hi there!' }] };
    const ended = event('response.output_item.done', { output_index: 0, item });
    expect(parts(delta + done + ended + completed).answer?.parts).toEqual([
      { type: 'text', text: 'Hi there!' },
    ]);
  });

  test('items with the same output index are sent once each', () => {
    const item = (id: string, text: string) => ({
      type: 'message',
      id,
      content: [{ type: 'output_text', text }],
    });
    const added = (id: string) =>
      event('response.output_item.added', { output_index: 0, item: { type: 'message', id, content: [] } });
    const done = (id: string, text: string) =>
      event('response.output_item.done', { output_index: 0, item: item(id, text) });
    const output = [item('a', 'A'), item('b', 'B')];
    const end = event('response.completed', response('completed', { output }));
    expect(
      parts(added('a') + done('a', 'A') + added('b') + done('b', 'B') + end).answer?.parts,
    ).toMatchObject([{ text: 'A' }, { text: 'B' }]);
  });

  test('an item that ends twice is sent once', () => {
    const item = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{}' };
    const done = event('response.output_item.done', { output_index: 0, item });
    expect(parts(done + done + completed).answer?.parts).toMatchObject([{ id: 'c1' }]);
  });

  test('response.completed with the status incomplete finishes with length', () => {
    const details = { incomplete_details: { reason: 'max_output_tokens' } };
    const cut = delta + event('response.completed', response('incomplete', details));
    expect(parts(cut).last).toMatchObject({ type: 'finish', reason: 'length' });
    expect(verbatim(cut).last).toMatchObject({ type: 'finish', reason: 'length' });
  });

  test("a call gets the client's tool name and a generated id", () => {
    const call = { type: 'function_call', name: 'f', arguments: '{}' };
    const { answer } = parts(
      event('response.function_call_arguments.delta', { output_index: 0, delta: '{' }) +
        event('response.output_item.done', { output_index: 0, item: call }) +
        completed,
    );
    expect(answer?.parts).toEqual([
      { type: 'tool-call', id: expect.stringMatching(/^call_\w{24}$/), name: 'my f', arguments: '{}' },
    ]);
  });

  test('calls with the same id or without one get unique ids (pitfall 30)', () => {
    const call = (at: number, call_id?: string) => {
      const item = { type: 'function_call', call_id, name: 'f', arguments: '{}' };
      const added = event('response.output_item.added', { output_index: at, item });
      return added + event('response.output_item.done', { output_index: at, item });
    };
    const { answer } = parts(call(0, '0') + call(1, '0') + call(2) + call(3) + completed);
    const ids = answer?.parts.map(part => part.type === 'tool-call' && part.id);
    expect(ids?.[0]).toBe('0');
    expect(new Set(ids).size).toBe(4);
  });

  test('reasoning after text keeps its position (pitfall 19)', () => {
    const done = (at: number, item: object) => event('response.output_item.done', { output_index: at, item });
    const text = (value: string) => ({ type: 'message', content: [{ type: 'output_text', text: value }] });
    const reasoning = { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'Hm.' }] };
    const { answer } = parts(done(0, text('a')) + done(1, reasoning) + done(2, text('b')) + completed);
    expect(answer?.parts).toMatchObject([{ text: 'a' }, { type: 'reasoning', text: 'Hm.' }, { text: 'b' }]);
  });

  test.each([
    ['completed', 'tool-calls'],
    ['max_output_tokens', 'length'],
    ['content_filter', 'content-filter'],
  ])('a response with a call that ends for %s finishes with %s (pitfalls 9, 10)', (why, reason) => {
    const item = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
    const status = why === 'completed' ? 'completed' : 'incomplete';
    const fields = { incomplete_details: status === 'incomplete' ? { reason: why } : null, output: [item] };
    const end = event(`response.${status}`, response(status, fields));
    const stream = event('response.output_item.done', { output_index: 0, item }) + end;
    expect(parts(stream).last).toMatchObject({ type: 'finish', reason });
    expect(verbatim(stream).last).toMatchObject({ type: 'finish', reason });
  });

  test('reasoning without text is kept if it has encrypted content', () => {
    const item = (encrypted: string | null) => ({
      type: 'reasoning',
      id: 'rs_1',
      summary: [],
      content: null,
      encrypted_content: encrypted,
    });
    const done = (encrypted: string | null) =>
      event('response.output_item.done', { output_index: 0, item: item(encrypted) });
    expect(parts(done('gAAA') + completed).answer?.parts).toEqual([
      { type: 'reasoning', text: '', signature: { format: 'responses', value: 'rs_1:gAAA' } },
    ]);
    expect(parts(done(null) + completed).answer?.parts).toEqual([]);
  });

  test.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content-filter'],
    ['steered', 'other'],
  ])('a response that is incomplete for %s finishes with %s', (reason, expected) => {
    const end = event('response.incomplete', response('incomplete', { incomplete_details: { reason } }));
    expect(parts(delta + end).last).toMatchObject({ type: 'finish', reason: expected, raw: reason });
  });

  test.each<[string, string]>([
    ['invalid JSON', 'data: {oops\n\n'],
    ['a delta that is not a string', event('response.output_text.delta', { output_index: 0, delta: 1 })],
    [
      'a call without a name',
      event('response.output_item.done', { output_index: 0, item: { type: 'function_call', call_id: 'c' } }),
    ],
    [
      'a broken item',
      event('response.output_item.done', { output_index: 0, item: { type: 'message', content: 'x' } }),
    ],
  ])('a stream with %s is an error', (_what, broken) => {
    expect(parts(delta.replace('"output_index":0', '"output_index":7') + broken + completed)).toMatchObject({
      answer: undefined,
      last: { type: 'error', kind: 'upstream' },
    });
  });

  test('a delta after the end of its item is an error', () => {
    const item = { type: 'message', content: [] };
    const done = event('response.output_item.done', { output_index: 0, item });
    expect(parts(delta + done + delta + completed).last).toMatchObject({ type: 'error', kind: 'upstream' });
  });

  test.each<[string, object, object]>([
    ['server_error', {}, { kind: 'upstream' }],
    ['rate_limit_exceeded', {}, { kind: 'rate-limited' }],
    ['insufficient_quota', {}, { kind: 'quota-exceeded' }],
    ['server_is_overloaded', {}, { kind: 'overloaded' }],
    ['invalid_prompt', {}, { kind: 'invalid-request', code: 'invalid_prompt' }],
    ['context_length_exceeded', {}, { kind: 'invalid-request', code: 'context_length_exceeded' }],
    [
      'unknown_parameter',
      { type: 'invalid_request_error', param: 'top_p' },
      { kind: 'invalid-request', param: 'top_p', code: 'unknown_parameter' },
    ],
    ['invalid_api_key', { type: 'invalid_request_error' }, { kind: 'upstream', message: /credential/ }],
  ])('a response that failed with %s has the matching error kind', (code, more, expected) => {
    const error = { code, message: 'No.', ...more };
    const { message = 'No.', ...rest } = expected as { message?: string | RegExp };
    for (const stream of [
      event('response.failed', response('failed', { error })),
      `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`,
      `data: ${JSON.stringify({ error })}\n\n`,
    ])
      expect(parts(created + stream).last).toMatchObject({
        ...rest,
        message: expect.stringMatching(message),
      });
  });

  test('an error event without an error object keeps its message', () => {
    const flat = event('error', { code: null, message: 'Boom.', param: null });
    expect(parts(created + flat).last).toEqual({ type: 'error', kind: 'upstream', message: 'Boom.' });
  });
});

describe('a non-streamed response', () => {
  const whole = (value: object) => read(new WholeDecoder(), JSON.stringify(value), 5);
  const message = { type: 'message', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] };

  test('a non-streamed response passes unchanged', () => {
    const { response: body } = response('completed', { output: [message], usage: rawUsage });
    const bytes = Buffer.from(JSON.stringify(body));
    expect(whole(body)).toEqual([
      {
        type: 'verbatim',
        bytes,
        whole: { status: 200, mediaType: 'application/json', length: bytes.length },
      },
      {
        type: 'finish',
        reason: 'stop',
        raw: 'completed',
        usage: expect.objectContaining({ input: 9, output: 4 }),
      },
    ]);
  });

  test.each<[string, object, object]>([
    [
      'the status failed',
      response('failed', { error: { code: 'server_error', message: 'Boom.' } }).response,
      { message: 'Boom.' },
    ],
    [
      'the status cancelled',
      response('cancelled').response,
      { message: 'The upstream cancelled its answer.' },
    ],
    [
      'the status in_progress',
      response('in_progress').response,
      { message: 'The upstream ended its answer too early.' },
    ],
    ['an error body', { error: { code: 'insufficient_quota', message: 'Pay.' } }, { kind: 'quota-exceeded' }],
    ['an unknown shape', { x: 1 }, { message: 'The upstream sent a malformed answer.' }],
  ])('a non-streamed response with %s is an error', (_what, body, expected) => {
    expect(whole(body)).toMatchObject([{ type: 'error', ...expected }]);
  });

  test('a token count is a valid non-streamed response', () => {
    expect(whole({ object: 'response.input_tokens', input_tokens: 42 }).at(-1)).toEqual({
      type: 'finish',
      reason: 'stop',
      raw: null,
      usage: null,
    });
  });
});

describe('a non-streamed response to a stream request', () => {
  const envelope = { requestId: 'req_1' } as VerbatimInput['envelope'];
  const translated: CanonicalInput = {
    envelope,
    body: 'canonical',
    request: { messages: [], tools: [{ type: 'function', name: 'get.time' }] },
    model: 'm',
    drop: [],
    limits: {},
  };
  const verbatimInput: VerbatimInput = {
    envelope,
    body: 'verbatim',
    text: Buffer.from('{}'),
    model: 'm',
    drop: [],
    limits: {},
  };
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gA' };
  const call = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'f',
    namespace: 'n',
    arguments: '{}',
  };
  const body = (part: object = {}) => {
    const message = { type: 'message', content: [{ type: 'output_text', text: 'Hi', ...part }] };
    return Buffer.from(
      JSON.stringify(response('completed', { output: [reasoning, message, call], usage: rawUsage }).response),
    );
  };
  const parts = (events: GenerateEvent[] | undefined) => {
    const fold = new AnswerFold();
    return events?.map(event => fold.add(event)).at(-1)?.parts;
  };

  test('a non-streamed response to a stream request becomes parts', () => {
    expect(parts(responsesDialect.decodeBody(body(), translated))).toMatchObject([
      { type: 'reasoning', signature: { value: 'rs_1:gA' } },
      { type: 'text', text: 'Hi' },
      { type: 'tool-call', id: 'call_1', name: 'f', arguments: '{}' },
    ]);
  });

  test('items other than messages become opaque parts for clients of this format', () => {
    expect(parts(responsesDialect.decodeBody(body(), verbatimInput))).toEqual([
      { type: 'opaque', format: 'responses', value: reasoning },
      { type: 'text', text: 'Hi' },
      { type: 'opaque', format: 'responses', value: call },
    ]);
  });

  test('log probabilities in a non-streamed response to a stream request are an error', () => {
    const events = responsesDialect.decodeBody(body({ logprobs: [{ token: 'Hi' }] }), verbatimInput);
    expect(events).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  });

  test('an error body is not decoded as a response', () => {
    expect(responsesDialect.decodeBody(Buffer.from('{"error":{"message":"x"}}'), translated)).toBeUndefined();
  });
});
