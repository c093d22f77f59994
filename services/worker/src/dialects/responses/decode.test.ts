import { readFileSync } from 'node:fs';
import { AnswerFold, type GenerateEvent } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import type { EncodeInput } from '../dialect.ts';
import { StreamDecoder, WholeDecoder } from './decode.ts';
import { responsesDialect } from './dialect.ts';

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}.sse`, import.meta.url), 'utf8');
const event = (type: string, fields: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const response = (status: string, fields: object = {}) => ({
  response: { id: 'resp_1', object: 'response', model: 'm', status, output: [], ...fields },
});
const created = event('response.created', response('in_progress'));
const delta = event('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'Hi' });
const rawUsage = { input_tokens: 9, output_tokens: 4 };
const completed = event('response.completed', response('completed', { usage: rawUsage }));

const target = { toolName: (name: string) => `my ${name}`, seed: 'req_1', own: false };

function read(decoder: StreamDecoder | WholeDecoder, text: string, size = text.length): GenerateEvent[] {
  const bytes = Buffer.from(text);
  const events: GenerateEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...decoder.read(bytes.subarray(at, at + size)));
  return [...events, ...decoder.end()];
}

function verbatim(stream: string, size?: number) {
  const events = read(new StreamDecoder({ verbatim: true }), stream, size);
  const shown = Buffer.concat(events.flatMap(e => (e.type === 'verbatim' ? [e.bytes] : []))).toString();
  return { shown, last: events.at(-1), ends: events.filter(e => e.type !== 'verbatim').length };
}

describe('a stream that is passed on', () => {
  test.each([1, 2, 7, 64, 1e6])('read %i bytes at a time passes every byte', size => {
    const stream = `: ping\n\n${fixture('reasoning-parallel-calls')}`;
    const { shown, last, ends } = verbatim(stream, size);
    expect(shown).toBe(stream);
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
  ])('of %s ends with %s', (name, reason) => {
    expect(verbatim(fixture(name)).last).toMatchObject({ type: 'finish', reason });
  });

  test.each(['failed', 'error'])('that is %s passes what came before, and not the failure itself', name => {
    const { shown, last } = verbatim(fixture(name));
    expect(shown).toBe(fixture('truncated'));
    expect(last).toMatchObject({ type: 'error' });
  });

  test('passes nothing before the answer says something, so that another upstream can be asked', () => {
    const failed = event('response.failed', response('failed', { error: { code: 'server_is_overloaded' } }));
    expect(verbatim(created + failed)).toMatchObject({ shown: '', last: { kind: 'overloaded' } });
    const decoder = new StreamDecoder({ verbatim: true });
    expect(decoder.read(Buffer.from(created))).toEqual([]);
    expect(decoder.read(Buffer.from(delta))).toMatchObject([{ bytes: Buffer.from(created + delta) }]);
  });

  test('passes an event that nobody knows, and one that is new in a field', () => {
    const odd = event('acme:x') + event('response.output_item.done', { item: 'odd' });
    expect(verbatim(odd + completed)).toMatchObject({ shown: odd + completed, last: { type: 'finish' } });
  });

  test('takes a mark at the end, but not in place of one', () => {
    const mark = 'data: [DONE]\n\n';
    expect(verbatim(delta + completed + mark)).toMatchObject({
      shown: delta + completed + mark,
      last: { type: 'finish' },
    });
    expect(verbatim(delta + mark)).toMatchObject({ shown: delta, last: { type: 'error', kind: 'upstream' } });
  });

  test('tells what it holds so far', () => {
    const decoder = new StreamDecoder({ verbatim: true });
    decoder.read(Buffer.from(delta + delta));
    expect(decoder.characters).toBe(4);
    expect(decoder.usage).toBeNull();
    decoder.read(Buffer.from(completed));
    expect(decoder.usage).toMatchObject({ input: 9, output: 4, raw: rawUsage });
  });
});

describe('a stream in parts', () => {
  const parts = (stream: string, options = target) => {
    const fold = new AnswerFold();
    const events = read(new StreamDecoder(options), stream);
    return { events, answer: events.map(e => fold.add(e)).at(-1), last: events.at(-1) };
  };

  test('tells its start once, and before its first part', () => {
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

  test('shows what its deltas left out', () => {
    const done = event('response.output_text.done', { output_index: 0, content_index: 0, text: 'Hi there' });
    const item = { type: 'message', content: [{ type: 'output_text', text: 'Hi there!' }] };
    const ended = event('response.output_item.done', { output_index: 0, item });
    expect(parts(delta + done + ended + completed).answer?.parts).toEqual([
      { type: 'text', text: 'Hi there!' },
    ]);
  });

  test('shows each item once where all have the same place', () => {
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

  test('shows an item once that ends twice', () => {
    const item = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{}' };
    const done = event('response.output_item.done', { output_index: 0, item });
    expect(parts(done + done + completed).answer?.parts).toMatchObject([{ id: 'c1' }]);
  });

  test('is cut off where its last event says so, whatever that is called', () => {
    const details = { incomplete_details: { reason: 'max_output_tokens' } };
    const cut = delta + event('response.completed', response('incomplete', details));
    expect(parts(cut).last).toMatchObject({ type: 'finish', reason: 'length' });
    expect(verbatim(cut).last).toMatchObject({ type: 'finish', reason: 'length' });
  });

  test('gives a tool its own name, and a call an id', () => {
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

  test('calls that come with the same id, or without one, get one each (pitfall 30)', () => {
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

  test('reasoning after text is told where it stands (pitfall 19)', () => {
    const done = (at: number, item: object) => event('response.output_item.done', { output_index: at, item });
    const text = (said: string) => ({ type: 'message', content: [{ type: 'output_text', text: said }] });
    const thought = { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'Hm.' }] };
    const { answer } = parts(done(0, text('a')) + done(1, thought) + done(2, text('b')) + completed);
    expect(answer?.parts).toMatchObject([{ text: 'a' }, { type: 'reasoning', text: 'Hm.' }, { text: 'b' }]);
  });

  test.each([
    ['completed', 'tool-calls'],
    ['max_output_tokens', 'length'],
    ['content_filter', 'content-filter'],
  ])('with a call that is over for %s ends with %s (pitfalls 9, 10)', (why, reason) => {
    const item = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
    const status = why === 'completed' ? 'completed' : 'incomplete';
    const fields = { incomplete_details: status === 'incomplete' ? { reason: why } : null, output: [item] };
    const end = event(`response.${status}`, response(status, fields));
    const stream = event('response.output_item.done', { output_index: 0, item }) + end;
    expect(parts(stream).last).toMatchObject({ type: 'finish', reason });
    expect(verbatim(stream).last).toMatchObject({ type: 'finish', reason });
  });

  test('keeps reasoning of which nothing is shown, if it can be sent back', () => {
    const item = (proof: string | null) => ({
      type: 'reasoning',
      id: 'rs_1',
      summary: [],
      content: null,
      encrypted_content: proof,
    });
    const done = (proof: string | null) =>
      event('response.output_item.done', { output_index: 0, item: item(proof) });
    expect(parts(done('gAAA') + completed).answer?.parts).toEqual([
      { type: 'reasoning', text: '', signature: { format: 'responses', value: 'rs_1:gAAA' } },
    ]);
    expect(parts(done(null) + completed).answer?.parts).toEqual([]);
  });

  test.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content-filter'],
    ['steered', 'other'],
  ])('that is incomplete for %s ends with %s', (reason, expected) => {
    const end = event('response.incomplete', response('incomplete', { incomplete_details: { reason } }));
    expect(parts(delta + end).last).toMatchObject({ type: 'finish', reason: expected, raw: reason });
  });

  test.each<[string, string]>([
    ['no JSON', 'data: {oops\n\n'],
    ['a delta that is no text', event('response.output_text.delta', { output_index: 0, delta: 1 })],
    [
      'a call without a name',
      event('response.output_item.done', { output_index: 0, item: { type: 'function_call', call_id: 'c' } }),
    ],
    [
      'a broken item',
      event('response.output_item.done', { output_index: 0, item: { type: 'message', content: 'x' } }),
    ],
  ])('with %s is an error', (_what, broken) => {
    expect(parts(delta.replace('"output_index":0', '"output_index":7') + broken + completed)).toMatchObject({
      answer: undefined,
      last: { type: 'error', kind: 'upstream' },
    });
  });

  test('does not begin what has ended', () => {
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
  ])('that failed with %s', (code, more, expected) => {
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

  test('a flat error has no type but its own', () => {
    const flat = event('error', { code: null, message: 'Boom.', param: null });
    expect(parts(created + flat).last).toEqual({ type: 'error', kind: 'upstream', message: 'Boom.' });
  });
});

describe('a whole answer', () => {
  const whole = (value: object) => read(new WholeDecoder(), JSON.stringify(value), 5);
  const message = { type: 'message', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] };

  test('is passed on as it is', () => {
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
      'failed',
      response('failed', { error: { code: 'server_error', message: 'Boom.' } }).response,
      { message: 'Boom.' },
    ],
    ['cancelled', response('cancelled').response, { message: 'The upstream cancelled its answer.' }],
    ['not over', response('in_progress').response, { message: 'The upstream ended its answer too early.' }],
    ['an error', { error: { code: 'insufficient_quota', message: 'Pay.' } }, { kind: 'quota-exceeded' }],
    ['nothing known', { x: 1 }, { message: 'The upstream sent a malformed answer.' }],
  ])('that is %s is an error', (_what, body, expected) => {
    expect(whole(body)).toMatchObject([{ type: 'error', ...expected }]);
  });

  test('may be a count of tokens', () => {
    expect(whole({ object: 'response.input_tokens', input_tokens: 42 }).at(-1)).toEqual({
      type: 'finish',
      reason: 'stop',
      raw: null,
      usage: null,
    });
  });
});

describe('a whole answer where a stream was asked for', () => {
  const envelope = { requestId: 'req_1' } as EncodeInput['envelope'];
  const translated: EncodeInput = {
    envelope,
    request: { messages: [], tools: [{ type: 'function', name: 'get.time' }] },
    model: 'm',
    drop: [],
    limits: {},
  };
  const own: EncodeInput = { envelope, text: Buffer.from('{}'), model: 'm', drop: [], limits: {} };
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

  test('has the parts of a stream', () => {
    expect(parts(responsesDialect.decodeBody(body(), translated))).toMatchObject([
      { type: 'reasoning', signature: { value: 'rs_1:gA' } },
      { type: 'text', text: 'Hi' },
      { type: 'tool-call', id: 'call_1', name: 'f', arguments: '{}' },
    ]);
  });

  test('keeps for a client of its own what only this format has', () => {
    expect(parts(responsesDialect.decodeBody(body(), own))).toEqual([
      { type: 'opaque', format: 'responses', value: reasoning },
      { type: 'text', text: 'Hi' },
      { type: 'opaque', format: 'responses', value: call },
    ]);
  });

  test('is an error where parts cannot hold it', () => {
    const events = responsesDialect.decodeBody(body({ logprobs: [{ token: 'Hi' }] }), own);
    expect(events).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  });

  test('is none where it is no answer', () => {
    expect(responsesDialect.decodeBody(Buffer.from('{"error":{"message":"x"}}'), translated)).toBeUndefined();
  });
});
