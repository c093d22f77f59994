import { GatewayError, type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { finish as finishOf, folded, partEvents } from '@model-gateway/canonical/testing/events';
import { bytes, link, media, signed } from '@model-gateway/canonical/testing/parts';
import { readFrames, readResponse } from '@model-gateway/formats/testing/response-reader';
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
const usage = { ...noUsage, input: 950, cachedInput: 800, cacheWrite5m: 50, output: 70, reasoning: 40 };
const finish = (reason: Parameters<typeof finishOf>[0], more = {}) => finishOf(reason, { usage, ...more });
const said = (index: number, type: string, ...texts: string[]) => partEvents(index, { type }, texts);
const call = (index: number, part: object, texts: string[] = [], end = {}) =>
  partEvents(index, { type: 'tool-call', id: `call_${index}`, name: 'f', ...part }, texts, end);

const outputOf =
  (names = new ToolNames()): MakeOutput =>
  (requestId, frame) =>
    new Output({ requestId, names, frame });

/** Renders events whole and as a stream, which must say the same. */
function rendered(events: GenerateEvent[], request: object = {}, names = new ToolNames()) {
  const all = [start, ...events];
  const render = responsesRenderer({ model: 'm', ...request } as EchoedRequest, outputOf(names));
  const stream = all.map(render.stream(context).add).join('');
  const whole = JSON.parse(JSON.stringify(render.whole(folded(all), context)));
  expect(readResponse(stream)).toEqual(whole);
  return { whole, types: readFrames(stream).map(({ type }) => type.replace('response.', '')) };
}
const output = (...events: GenerateEvent[]) => rendered([...events, finish('stop')]).whole.output;

describe('a complete response equals its accumulated stream', () => {
  test('a text response has every field of the format', () => {
    const { whole, types } = rendered([...said(0, 'text', 'Hel', 'lo'), finish('stop')]);
    const part = { type: 'output_text', text: 'Hello', annotations: [], logprobs: [] };
    expect(whole).toEqual({
      ...{ id: `resp_${'0'.repeat(24)}`, object: 'response', model: 'm-up', status: 'completed' },
      ...{ created_at: 1_795_248_000, completed_at: 1_795_248_002, error: null, incomplete_details: null },
      output: [
        { type: 'message', id: id('msg', 0), role: 'assistant', status: 'completed', content: [part] },
      ],
      ...{ instructions: null, previous_response_id: null, metadata: {}, user: null, prompt_cache_key: null },
      ...{ parallel_tool_calls: true, tools: [], tool_choice: 'auto', max_tool_calls: null },
      ...{ temperature: 1, top_p: 1, top_logprobs: 0, presence_penalty: 0, frequency_penalty: 0 },
      ...{ truncation: 'disabled', text: { format: { type: 'text' } }, max_output_tokens: null },
      ...{ reasoning: { effort: null, summary: null }, safety_identifier: null },
      ...{ store: false, background: false, service_tier: 'default' },
      usage: {
        ...{ input_tokens: 950, output_tokens: 70, total_tokens: 1_020 },
        input_tokens_details: { cached_tokens: 800, cache_write_tokens: 50 },
        output_tokens_details: { reasoning_tokens: 40 },
      },
    });
    expect(types.join(' ')).toBe(
      'created in_progress output_item.added content_part.added output_text.delta output_text.delta ' +
        'output_text.done content_part.done output_item.done completed',
    );
  });

  test('a response repeats the fields of the request', () => {
    const request = {
      ...{ instructions: 'Be brief.', parallel_tool_calls: false, temperature: 0.5, top_p: 0.9 },
      ...{ tool_choice: { type: 'function', name: 'f' }, truncation: 'auto', max_output_tokens: 50 },
      ...{ text: { format: { type: 'json_object' }, verbosity: 'low' }, metadata: { a: 'b' }, user: 'u' },
      ...{ reasoning: { effort: 'high', summary: 'auto' }, safety_identifier: 's', prompt_cache_key: 'k' },
      service_tier: 'flex',
    };
    const tool = { type: 'function', name: 'f', parameters: null };
    const { whole } = rendered([finish('stop')], { ...request, tools: [tool], store: true });
    const tools = [{ ...tool, description: null, strict: null }];
    expect(whole).toMatchObject({ ...request, tools, store: false, output: [] });
  });

  test('calls have the client’s names, namespaces and free text', () => {
    const names = new ToolNames();
    names.add({ name: 'patch' });
    names.add({ name: 'read', namespace: 'files' });
    names.add({ name: 'tool_search', search: true });
    const events = [
      ...call(0, { name: 'files__read' }, ['{"a"', ':1}']),
      ...call(1, { name: 'patch', custom: true }, ['*** Begin\n']),
      ...call(2, { id: '' }),
      ...call(3, { name: 'tool_search' }, ['{"query":"x"}']),
    ];
    const { whole, types } = rendered([...events, finish('tool-calls')], {}, names);
    const status = 'completed';
    expect(whole.output).toEqual([
      {
        ...{ type: 'function_call', id: id('fc', 0), call_id: 'call_0', status },
        ...{ name: 'read', namespace: 'files', arguments: '{"a":1}' },
      },
      {
        ...{ type: 'custom_tool_call', id: id('ctc', 1), call_id: 'call_1', status },
        ...{ name: 'patch', input: '*** Begin\n' },
      },
      {
        ...{ type: 'function_call', id: id('fc', 2), call_id: id('call', 2), status },
        ...{ name: 'f', arguments: '{}' },
      },
      {
        ...{ type: 'tool_search_call', id: id('tsc', 3), call_id: 'call_3', status },
        ...{ execution: 'client', arguments: { query: 'x' } },
      },
    ]);
    expect(types.filter(type => type.startsWith('function_call'))).toHaveLength(5);
    expect(types.filter(type => type.startsWith('custom_tool'))).toHaveLength(2);
  });

  test('interleaved parallel calls become consecutive items', () => {
    const [[begin0, x, end0], [begin1, y, end1]] = [call(0, {}, ['{"x":']), call(1, {}, ['{}'])];
    const more = { ...x, text: '1}' };
    const events = [begin0, x, begin1, y, more, end1, end0] as GenerateEvent[];
    expect(output(...events)).toMatchObject([{ arguments: '{"x":1}' }, { arguments: '{}' }]);
  });

  test('reasoning is a summary, with its signature as tagged encrypted content', () => {
    const { whole, types } = rendered([
      ...partEvents(0, { type: 'reasoning' }, ['Let me', ' think'], signed('EqQB')),
      ...partEvents(1, { type: 'reasoning', redacted: true }, [], signed('Em')),
      ...[...said(2, 'reasoning'), ...said(3, 'text', 'Hi')],
      ...[...call(4, {}, ['{}'], signed('sig', 'generate-content')), finish('tool-calls')],
    ]);
    const summary = [{ type: 'summary_text', text: 'Let me think' }];
    expect(whole.output).toMatchObject([
      { type: 'reasoning', summary, encrypted_content: 'am:EqQB' },
      { type: 'reasoning', summary: [], encrypted_content: 'am:redacted:Em' },
      ...[{ type: 'message' }, { type: 'function_call' }],
      { type: 'reasoning', summary: [], encrypted_content: 'gg:sig' },
    ]);
    expect(types.slice(2, 9).join(' ')).toBe(
      'output_item.added reasoning_summary_part.added reasoning_summary_text.delta ' +
        'reasoning_summary_text.delta reasoning_summary_text.done reasoning_summary_part.done output_item.done',
    );
  });

  test('citations are annotations of their text', () => {
    const [a, b] = [
      { url: 'https://a.example', title: 'A' },
      { url: 'https://b.example', title: 'B' },
    ];
    const citations = [{ ...a, start: 1, end: 3 }, b];
    const [message] = output(...partEvents(0, { type: 'text' }, ['Hello'], { citations }));
    expect(message.content[0].annotations).toEqual([
      { type: 'url_citation', ...a, start_index: 1, end_index: 3 },
      { type: 'url_citation', ...b, start_index: 0, end_index: 5 },
    ]);
  });

  test('an image is an item, and other media are links', () => {
    const drawn = [
      ...partEvents(0, media('image', bytes('iVBO'), { mediaType: 'image/png' })),
      ...partEvents(1, media('audio', bytes('UklG'), { mediaType: 'audio/x' })),
      ...partEvents(2, media('image', link('https://i.example/a'), { mediaType: 'image/png' })),
    ];
    const content = [
      ...[{ text: '[audio](data:audio/x;base64,UklG)' }, { text: '![image](https://i.example/a)' }],
    ];
    expect(output(...drawn)).toMatchObject([
      { type: 'image_generation_call', status: 'completed', result: 'iVBO' },
      { type: 'message', content },
    ]);
  });

  test('an empty text is omitted', () => {
    expect(output(...said(0, 'text', ''))).toEqual([]);
  });
});

describe('the status of a response', () => {
  const [text, refusal] = [said(0, 'text', 'Hi'), said(0, 'refusal', 'No.')];
  const no = [{ type: 'refusal', refusal: 'No.' }];
  const hi = expect.any(Array);
  test.each([
    ['stop', text, finish('stop'), 'completed', null, hi],
    ['length', text, finish('length'), 'incomplete', 'max_output_tokens', hi],
    ['any other reason', text, finish('other'), 'incomplete', 'max_output_tokens', hi],
    ['a content filter', text, finish('content-filter'), 'incomplete', 'content_filter', hi],
    ['a refusal with text', refusal, finish('refusal'), 'completed', null, no],
    ['a refusal without text', [], finish('refusal'), 'incomplete', 'content_filter', undefined],
    ['a refusal with an explanation', [], finish('refusal', { explanation: 'No.' }), 'completed', null, no],
  ] as const)('%s sets status and incomplete_details', (_, parts, end, status, reason, content) => {
    const { whole } = rendered([...parts, end]);
    expect(whole).toMatchObject({ status, incomplete_details: reason && { reason } });
    expect(whole.completed_at === null).toBe(status === 'incomplete');
    expect(whole.output).toMatchObject(content ? [{ status, content }] : []);
  });

  test('only the last item of an incomplete response is incomplete', () => {
    const { whole } = rendered([...said(0, 'reasoning', 'Hm'), ...call(1, {}, ['{"a']), finish('length')]);
    expect(whole.output).toMatchObject([{ status: 'completed' }, { status: 'incomplete', arguments: '{"a' }]);
  });
});

describe('a failed stream', () => {
  const writer = () => responsesRenderer({ model: 'm' } as EchoedRequest, outputOf()).stream(context);
  const cut = new GatewayError('upstream', 'The upstream ended its answer too early.');

  test('a failed stream ends with error and response.failed, never with response.completed', () => {
    const stream = writer();
    const events = [start, ...call(0, {}, ['{}']), ...said(1, 'text', 'Hi')];
    const sent = events.map(event => stream.add(event)).join('') + stream.fail?.(cut);
    const error = { code: 'server_error', message: cut.message };
    const failed = { status: 'failed', error, output: [{ type: 'function_call' }], usage: null };
    expect(readResponse(sent)).toMatchObject(failed);
    expect(readFrames(sent).at(-2)).toMatchObject({
      ...{ type: 'error', code: 'server_error', param: null },
      error: { type: 'server_error', ...error, param: null },
    });
    expect(sent).not.toContain('[DONE]');
  });

  test('a stream that fails before it begins ends with a failed response', () => {
    const sent = writer().fail?.(new GatewayError('rate-limited', 'Slow down.')) ?? '';
    const failed = { status: 'failed', error: { code: 'rate_limit_exceeded' }, model: 'm' };
    expect(readResponse(sent)).toMatchObject(failed);
  });

  test.each([
    ['overloaded', undefined, 'server_is_overloaded'],
    ['quota-exceeded', undefined, 'insufficient_quota'],
    ['invalid-request', 'context_length_exceeded', 'context_length_exceeded'],
    ['timeout', undefined, 'server_error'],
    ['internal', undefined, 'server_error'],
  ] as const)('an error of kind %s with the code %s is reported as %s', (kind, code, expected) => {
    const sent = writer().fail?.(new GatewayError(kind, 'x', code ? { code } : {})) ?? '';
    expect(readResponse(sent)).toMatchObject({ error: { code: expected } });
  });

  const keepalive = 'event: keepalive\ndata: {"type":"keepalive","sequence_number":2}\n\n';

  test('a failed verbatim stream continues its event numbers and response id', () => {
    const stream = writer();
    const seen = (sent: string, partial = false) =>
      stream.add({ type: 'verbatim', bytes: Buffer.from(sent), ...(partial && { partial }) });
    const created = '{"type":"response.created","sequence_number":0,"response":{"id":"resp_up"}}';
    seen(`event: response.created\ndata: ${created}\n\n`);
    seen('data: {"type":"a","sequence_number":1}\n\ndata: {"type":"b","sequence_number":2,"x":"', true);
    seen('long"}\n\n');
    expect(stream.ping?.(130_000)).toBe(keepalive);
    const frames = (stream.fail?.(cut) ?? '').split('\n\n').slice(0, -1);
    const response = { id: 'resp_up', status: 'failed' };
    expect(frames.map(frame => JSON.parse(frame.replace(/^.*\ndata: /, '')))).toMatchObject([
      { type: 'error', sequence_number: 3 },
      { type: 'response.failed', sequence_number: 4, response },
    ]);
  });

  test('a failed stream without a renderer ends with an error event', () => {
    expect(renderErrorEvent(cut)).toMatch(/^event: error\ndata: \{"type":"error","sequence_number":0,/);
  });

  test('a silent stream is kept alive by comments, then by keepalive events', () => {
    const stream = writer();
    expect(stream.ping?.(200_000)).toBe(': ping\n\n');
    stream.add(start);
    expect(stream.ping?.(10_000)).toBe(': ping\n\n');
    expect(stream.ping?.(120_000)).toBe(keepalive);
    expect(stream.add(finish('stop'))).toMatch(/^event: .*\ndata: \{.*"sequence_number":3\b/);
  });
});
