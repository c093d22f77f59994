import { GatewayError, type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { finish as finishOf, folded, partEvents } from '@model-gateway/canonical/testing/events';
import { readFrames, readResponse } from '@model-gateway/formats/testing/response-reader';
import { describe, expect, test } from 'vitest';
import { testFixtures, unusual } from '../testing/fixtures.ts';
import { type ClientTool, ToolNames } from './parse-tools.ts';
import type { EchoedRequest } from './render.ts';
import { renderErrorEvent, responsesRenderer } from './render.ts';
import type { MakeOutput } from './render-items.ts';
import { Output } from './render-output.ts';

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

type Answer = { events: GenerateEvent[]; request?: object; tools?: ClientTool[] };
/** The fields in which a response is not the empty one, and its events. */
testFixtures(import.meta.dirname, 'render', ({ events, request, tools = [] }: Answer) => {
  const names = new ToolNames();
  for (const tool of tools) names.add(tool);
  const all = events.map(event => (event.type === 'finish' ? finish(event.reason, event) : event));
  const { whole, types } = rendered(all, request, names);
  return { ...unusual(whole, rendered([finish('stop')]).whole), types: types.join(' ') };
});

test('a text response has every field of the format', () => {
  const { whole, types } = rendered([...said(0, 'text', 'Hel', 'lo'), finish('stop')]);
  const part = { type: 'output_text', text: 'Hello', annotations: [], logprobs: [] };
  expect(whole).toEqual({
    ...{ id: `resp_${'0'.repeat(24)}`, object: 'response', model: 'm-up', status: 'completed' },
    ...{ created_at: 1_795_248_000, completed_at: 1_795_248_002, error: null, incomplete_details: null },
    output: [{ type: 'message', id: id('msg', 0), role: 'assistant', status: 'completed', content: [part] }],
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
