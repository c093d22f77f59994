import { AnswerFold, GatewayError, type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { readFrames, readResponse } from '@model-gateway/wire/testing/response-reader';
import { describe, expect, test } from 'vitest';
import { responsesRenderer } from './render.ts';
import { renderErrorEvent } from './render-failure.ts';
import type { EchoedRequest } from './render-head.ts';
import { Output } from './render-output.ts';
import { ToolNames } from './tool-names.ts';
import type { MakeOutput } from './writer.ts';

const requestId = `req_${'0'.repeat(24)}`;
const context = { requestId, created: 1_795_248_000, now: () => 1_795_248_002 };
const id = (prefix: string, place: number) => `${prefix}_${'0'.repeat(24)}_${place}`;

const start: GenerateEvent = { type: 'start', id: 'msg_up', model: 'm-up' };
const finish = (
  reason: 'stop' | 'length' | 'tool-calls' | 'refusal' | 'content-filter',
  more = {},
): GenerateEvent => ({
  type: 'finish',
  reason,
  raw: reason,
  usage: { ...noUsage, input: 950, cachedInput: 800, cacheWrite5m: 50, output: 70, reasoning: 40 },
  ...more,
});
const part = (index: number, part: object, text: string[] = [], end: object = {}): GenerateEvent[] => [
  { type: 'part-start', index, part } as GenerateEvent,
  ...text.map(text => ({ type: 'part-delta' as const, index, text })),
  { type: 'part-end', index, ...end } as GenerateEvent,
];

const outputOf =
  (names = new ToolNames()): MakeOutput =>
  (requestId, frame) =>
    new Output({ requestId, names, frame });

function rendered(events: GenerateEvent[], request: Partial<EchoedRequest> = {}, names = new ToolNames()) {
  const render = responsesRenderer({ model: 'm', ...request } as EchoedRequest, outputOf(names));
  const stream = events.map(render.stream(context).add).join('');
  const fold = new AnswerFold();
  const answer = events.flatMap(event => fold.add(event) ?? [])[0];
  if (!answer) throw new Error('the events have no end');
  const whole = JSON.parse(JSON.stringify(render.whole(answer, context)));
  expect(readResponse(stream)).toEqual(whole);
  return { stream, whole, types: readFrames(stream).map(({ type }) => type.replace('response.', '')) };
}

describe('a complete response equals its accumulated stream', () => {
  test('a text response has every field of the format', () => {
    const { whole, types } = rendered([start, ...part(0, { type: 'text' }, ['Hel', 'lo']), finish('stop')]);
    expect(whole).toEqual({
      id: `resp_${'0'.repeat(24)}`,
      object: 'response',
      created_at: 1_795_248_000,
      completed_at: 1_795_248_002,
      status: 'completed',
      error: null,
      incomplete_details: null,
      instructions: null,
      model: 'm-up',
      previous_response_id: null,
      output: [
        {
          type: 'message',
          id: id('msg', 0),
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }],
        },
      ],
      parallel_tool_calls: true,
      tools: [],
      tool_choice: 'auto',
      temperature: 1,
      top_p: 1,
      top_logprobs: 0,
      presence_penalty: 0,
      frequency_penalty: 0,
      truncation: 'disabled',
      text: { format: { type: 'text' } },
      reasoning: { effort: null, summary: null },
      max_output_tokens: null,
      max_tool_calls: null,
      store: false,
      background: false,
      service_tier: 'default',
      metadata: {},
      user: null,
      safety_identifier: null,
      prompt_cache_key: null,
      usage: {
        input_tokens: 950,
        input_tokens_details: { cached_tokens: 800, cache_write_tokens: 50 },
        output_tokens: 70,
        output_tokens_details: { reasoning_tokens: 40 },
        total_tokens: 1_020,
      },
    });
    expect(types).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
  });

  test('a response repeats the fields of the request', () => {
    const request = {
      instructions: 'Be brief.',
      tools: [{ type: 'function', name: 'f', parameters: null }],
      tool_choice: { type: 'function', name: 'f' },
      parallel_tool_calls: false,
      temperature: 0.5,
      top_p: 0.9,
      truncation: 'auto' as const,
      text: { format: { type: 'json_object' }, verbosity: 'low' },
      reasoning: { effort: 'high', summary: 'auto' },
      max_output_tokens: 50,
      metadata: { a: 'b' },
      user: 'u',
      safety_identifier: 's',
      prompt_cache_key: 'k',
      service_tier: 'flex',
      store: true,
    };
    const { whole } = rendered([start, finish('stop')], request);
    expect(whole).toMatchObject({
      ...request,
      tools: [{ type: 'function', name: 'f', description: null, parameters: null, strict: null }],
      store: false,
      output: [],
    });
  });

  test('calls have the client’s names, namespaces and free text', () => {
    const names = new ToolNames();
    names.add({ name: 'patch' });
    names.add({ name: 'read', namespace: 'files' });
    names.add({ name: 'tool_search', search: true });
    const { whole, types } = rendered(
      [
        start,
        ...part(0, { type: 'tool-call', id: 'call_1', name: 'files__read' }, ['{"a"', ':1}']),
        ...part(1, { type: 'tool-call', id: 'call_2', name: 'patch', custom: true }, ['*** Begin\n']),
        ...part(2, { type: 'tool-call', id: '', name: 'f' }),
        ...part(3, { type: 'tool-call', id: 'call_4', name: 'tool_search' }, ['{"query":"x"}']),
        finish('tool-calls'),
      ],
      {},
      names,
    );
    expect(whole.output).toEqual([
      {
        type: 'function_call',
        id: id('fc', 0),
        call_id: 'call_1',
        name: 'read',
        namespace: 'files',
        arguments: '{"a":1}',
        status: 'completed',
      },
      {
        type: 'custom_tool_call',
        id: id('ctc', 1),
        call_id: 'call_2',
        name: 'patch',
        input: '*** Begin\n',
        status: 'completed',
      },
      {
        type: 'function_call',
        id: id('fc', 2),
        call_id: id('call', 2),
        name: 'f',
        arguments: '{}',
        status: 'completed',
      },
      {
        type: 'tool_search_call',
        id: id('tsc', 3),
        call_id: 'call_4',
        execution: 'client',
        arguments: { query: 'x' },
        status: 'completed',
      },
    ]);
    expect(types.filter(type => type.startsWith('function_call'))).toHaveLength(5);
    expect(types.filter(type => type.startsWith('custom_tool'))).toHaveLength(2);
  });

  test('interleaved parallel calls become consecutive items', () => {
    const call = (index: number) =>
      ({ type: 'part-start', index, part: { type: 'tool-call', id: `c${index}`, name: 'f' } }) as const;
    const delta = (index: number, text: string) => ({ type: 'part-delta', index, text }) as const;
    const { whole } = rendered([
      start,
      call(0),
      delta(0, '{"x":'),
      call(1),
      delta(1, '{}'),
      delta(0, '1}'),
      { type: 'part-end', index: 1 },
      { type: 'part-end', index: 0 },
      finish('tool-calls'),
    ]);
    expect(whole.output.map((item: { arguments: string }) => item.arguments)).toEqual(['{"x":1}', '{}']);
  });

  test('reasoning is a summary, with its signature as tagged encrypted content', () => {
    const am = (value: string) => ({ signature: { format: 'messages', value } });
    const gg = { signature: { format: 'generate-content', value: 'sig' } };
    const { whole, types } = rendered([
      start,
      ...part(0, { type: 'reasoning' }, ['Let me', ' think'], am('EqQB')),
      ...part(1, { type: 'reasoning', redacted: true }, [], am('Em')),
      ...part(2, { type: 'reasoning' }),
      ...part(3, { type: 'text' }, ['Hi']),
      ...part(4, { type: 'tool-call', id: 'c', name: 'f' }, ['{}'], gg),
      finish('tool-calls'),
    ]);
    expect(whole.output).toMatchObject([
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Let me think' }],
        encrypted_content: 'am:EqQB',
      },
      { type: 'reasoning', summary: [], encrypted_content: 'am:redacted:Em' },
      { type: 'message' },
      { type: 'function_call' },
      { type: 'reasoning', summary: [], encrypted_content: 'gg:sig' },
    ]);
    expect(types.slice(2, 9)).toEqual([
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
    ]);
  });

  test('citations are annotations of their text', () => {
    const citations = [
      { url: 'https://a.example', title: 'A', start: 1, end: 3 },
      { url: 'https://b.example', title: 'B' },
    ];
    const { whole } = rendered([
      start,
      ...part(0, { type: 'text' }, ['Hello'], { citations }),
      finish('stop'),
    ]);
    expect(whole.output[0].content[0].annotations).toEqual([
      { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 1, end_index: 3 },
      { type: 'url_citation', url: 'https://b.example', title: 'B', start_index: 0, end_index: 5 },
    ]);
  });

  test('an image is an item, and other media are links', () => {
    const media = (kind: string, source: object) => ({ type: 'media', kind, source, mediaType: `${kind}/x` });
    const { whole } = rendered([
      start,
      ...part(0, media('image', { type: 'base64', data: 'iVBO' })),
      ...part(1, media('audio', { type: 'base64', data: 'UklG' })),
      ...part(2, media('image', { type: 'url', url: 'https://i.example/a' })),
      finish('stop'),
    ]);
    expect(whole.output).toMatchObject([
      { type: 'image_generation_call', status: 'completed', result: 'iVBO' },
      {
        type: 'message',
        content: [{ text: '[audio](data:audio/x;base64,UklG)' }, { text: '![image](https://i.example/a)' }],
      },
    ]);
  });

  test('an empty text is omitted', () => {
    const { whole } = rendered([start, ...part(0, { type: 'text' }, ['']), finish('stop')]);
    expect(whole.output).toEqual([]);
  });
});

describe('the status of a response', () => {
  const text = part(0, { type: 'text' }, ['Hi']);
  const refusal = part(0, { type: 'refusal' }, ['No.']);
  test.each([
    ['stop', text, finish('stop'), 'completed', null],
    ['length', text, finish('length'), 'incomplete', 'max_output_tokens'],
    ['a content filter', text, finish('content-filter'), 'incomplete', 'content_filter'],
    ['a refusal with text', refusal, finish('refusal'), 'completed', null],
    ['a refusal without text', [], finish('refusal'), 'incomplete', 'content_filter'],
    ['a refusal with an explanation', [], finish('refusal', { explanation: 'No.' }), 'completed', null],
  ] as const)('%s sets status and incomplete_details', (_, parts, end, status, reason) => {
    const { whole } = rendered([start, ...parts, end]);
    expect(whole.status).toBe(status);
    expect(whole.incomplete_details).toEqual(reason && { reason });
    expect(whole.completed_at === null).toBe(status === 'incomplete');
    const last = whole.output.at(-1);
    if (last) expect(last.status).toBe(status);
    if (end.type === 'finish' && end.reason === 'refusal' && status === 'completed')
      expect(last.content).toEqual([{ type: 'refusal', refusal: 'No.' }]);
  });

  test('only the last item of an incomplete response is incomplete', () => {
    const { whole } = rendered([
      start,
      ...part(0, { type: 'reasoning' }, ['Hm']),
      ...part(1, { type: 'tool-call', id: 'c', name: 'f' }, ['{"a']),
      finish('length'),
    ]);
    expect(whole.output.map(({ status }: { status: string }) => status)).toEqual(['completed', 'incomplete']);
    expect(whole.output[1].arguments).toBe('{"a');
  });
});

describe('a failed stream', () => {
  const writer = () => responsesRenderer({ model: 'm' } as EchoedRequest, outputOf()).stream(context);
  const cut = new GatewayError('upstream', 'The upstream ended its answer too early.');

  test('a failed stream ends with error and response.failed, never with response.completed', () => {
    const stream = writer();
    if (!stream) throw new Error('no writer');
    const events = [
      start,
      ...part(0, { type: 'tool-call', id: 'c', name: 'f' }, ['{}']),
      ...part(1, { type: 'text' }, ['Hi']),
    ];
    const text = events.map(event => stream.add(event)).join('') + stream.fail?.(cut);
    const response = readResponse(text);
    expect(response).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: cut.message },
      output: [{ type: 'function_call' }],
      usage: null,
    });
    expect(readFrames(text).at(-2)).toMatchObject({
      type: 'error',
      code: 'server_error',
      param: null,
      error: { type: 'server_error', code: 'server_error', message: cut.message, param: null },
    });
    expect(text).not.toContain('[DONE]');
  });

  test('a stream that fails before it begins ends with a failed response', () => {
    const text = writer().fail?.(new GatewayError('rate-limited', 'Slow down.')) ?? '';
    expect(readResponse(text)).toMatchObject({
      status: 'failed',
      error: { code: 'rate_limit_exceeded' },
      model: 'm',
    });
  });

  test.each([
    ['overloaded', undefined, 'server_is_overloaded'],
    ['quota-exceeded', undefined, 'insufficient_quota'],
    ['invalid-request', 'context_length_exceeded', 'context_length_exceeded'],
    ['timeout', undefined, 'server_error'],
    ['internal', undefined, 'server_error'],
  ] as const)('an error of kind %s with the code %s is reported as %s', (kind, code, expected) => {
    const text = writer().fail?.(new GatewayError(kind, 'x', code ? { code } : {})) ?? '';
    expect(readResponse(text)).toMatchObject({ error: { code: expected } });
  });

  test('a failed verbatim stream continues its event numbers and response id', () => {
    const stream = writer();
    const seen = (text: string, partial = false) =>
      stream.add({ type: 'verbatim', bytes: Buffer.from(text), ...(partial && { partial }) });
    seen(
      'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"resp_up"}}\n\n',
    );
    seen('data: {"type":"a","sequence_number":1}\n\ndata: {"type":"b","sequence_number":2,"x":"', true);
    seen('long"}\n\n');
    expect(stream.ping?.(130_000)).toBe(
      'event: keepalive\ndata: {"type":"keepalive","sequence_number":2}\n\n',
    );
    const frames = (stream.fail?.(cut) ?? '').split('\n\n').slice(0, -1);
    const [error, failed] = frames.map(text => JSON.parse(text.replace(/^.*\ndata: /, '')));
    expect(error).toMatchObject({ type: 'error', sequence_number: 3 });
    expect(failed).toMatchObject({
      type: 'response.failed',
      sequence_number: 4,
      response: { id: 'resp_up', status: 'failed' },
    });
  });

  test('a failed stream without a renderer ends with an error event', () => {
    expect(renderErrorEvent(cut)).toMatch(/^event: error\ndata: \{"type":"error","sequence_number":0,/);
  });

  test('a silent stream is kept alive by comments, then by keepalive events', () => {
    const stream = writer();
    expect(stream.ping?.(200_000)).toBe(': ping\n\n');
    stream.add(start);
    expect(stream.ping?.(10_000)).toBe(': ping\n\n');
    expect(stream.ping?.(120_000)).toBe(
      'event: keepalive\ndata: {"type":"keepalive","sequence_number":2}\n\n',
    );
    expect(readFramesFrom(stream.add(finish('stop')) ?? '')).toMatchObject({ sequence_number: 3 });
  });
});

function readFramesFrom(text: string): unknown {
  return JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '{}');
}
