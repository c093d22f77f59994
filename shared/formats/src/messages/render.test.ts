import { type FinishEvent, type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { finish as finishOf, folded, partEvents } from '@model-gateway/canonical/testing/events';
import { signed } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { readFrames, readMessage } from '@model-gateway/formats/testing/message-reader';
import { describe, expect, test } from 'vitest';
import { testFixtures, unusual } from '../testing/fixtures.ts';
import { messagesRenderer } from './render.ts';

const context = { requestId: 'req_ab', created: 0 };
const begin: GenerateEvent = { type: 'start', id: 'chatcmpl-1', model: 'up' };
const counts = {
  input: 950,
  cachedInput: 800,
  cacheWrite5m: 30,
  cacheWrite1h: 20,
  output: 70,
  reasoning: 40,
};
const usage = { ...noUsage, ...counts };
const finish = finishOf('stop', { usage });

const partStart = (index: number, part: object) => ({ type: 'part-start', index, part }) as GenerateEvent;
const delta = (index: number, text: string): GenerateEvent => ({ type: 'part-delta', index, text });
const end = (index: number, value?: string): GenerateEvent => ({
  ...{ type: 'part-end', index },
  ...(value && signed(value)),
});
const call = (index: number, id = `c${index}`) => partStart(index, { type: 'tool-call', id, name: 'f' });
const part = (index: number, type: string, ...texts: string[]) => partEvents(index, { type }, texts);

const whole = (...events: GenerateEvent[]) =>
  JSON.parse(JSON.stringify(messagesRenderer({ model: 'm' }).whole(folded(events), context)));
/** The output of each event. */
const pieces = (...events: GenerateEvent[]) =>
  events.map(messagesRenderer({ model: 'm' }).stream(context).add);
const streamed = (...events: GenerateEvent[]) => readMessage(pieces(...events).join(''));

/** Summarizes a stream: `start 0 text`, `text_delta 0 b`, `stop 0`. */
function steps(stream: string): string {
  const told = readFrames(stream).map(({ type, index, content_block: block, delta: fields }) => {
    switch (type) {
      case 'content_block_start':
        return `start ${index} ${block?.type}${block?.id ? ` ${block.id}` : ''}`;
      case 'content_block_delta':
        return Object.values(fields ?? {}).join(` ${index} `);
      case 'content_block_stop':
        return `stop ${index}`;
      default:
        return type;
    }
  });
  return told.join(' | ');
}

testFixtures(import.meta.dirname, 'render', (from: { events: GenerateEvent[] }) => {
  const told = from.events.map(event => (event.type === 'finish' ? { ...finish, ...event } : event));
  const events = [begin, ...told];
  return { ...unusual(whole(...events), whole(begin, finish)), stream: steps(pieces(...events).join('')) };
});

test('a complete response has every field of the format', () => {
  expect(whole(begin, ...part(0, 'text', 'Hi', '.'), finish)).toEqual({
    ...{ id: 'msg_ab', type: 'message', role: 'assistant', model: 'up' },
    content: [{ type: 'text', text: 'Hi.', citations: null }],
    ...{
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
    },
    usage: {
      ...{
        input_tokens: 100,
        cache_creation_input_tokens: 50,
        cache_read_input_tokens: 800,
        output_tokens: 70,
      },
      cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 20 },
      output_tokens_details: { thinking_tokens: 40 },
      ...{ server_tool_use: null, service_tier: null, inference_geo: null, speed: null },
    },
  });
});

test('usage has all four counters without usage of the upstream, and none is negative', () => {
  const none = {
    input_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 0,
  };
  for (const message of [whole, streamed])
    expect(message(begin, { ...finish, usage: null }).usage).toMatchObject(none);
  expect(readFrames(pieces(begin, finish).join(''))[0]?.message?.usage).toMatchObject(none);
  expect(whole(begin, { ...finish, usage: { ...usage, input: 1 } }).usage.input_tokens).toBe(0);
});

test('a message id of the same format is kept, and a call without an id gets one', () => {
  expect(whole({ ...begin, id: 'msg_7' }, finish).id).toBe('msg_7');
  const [block] = whole(begin, call(0, ''), finish).content;
  expect(block.id).toMatch(/^toolu_[\w-]+$/);
  expect(streamed(begin, call(0, ''), finish).content[0]?.id).toBe(block.id);
});

test.each(
  rows<[FinishEvent['reason'], object, object]>`
  - [stop, {}, {stop_reason: end_turn, stop_details: null}]
  - [stop-sequence, {raw: stop_sequence, stopSequence: END}, {stop_reason: stop_sequence, stop_sequence: END}]
  - [stop-sequence, {raw: stop}, {stop_reason: end_turn, stop_sequence: null}]
  - [length, {raw: length}, {stop_reason: max_tokens}]
  - [length, {raw: model_context_window_exceeded}, {stop_reason: model_context_window_exceeded}]
  - [tool-calls, {}, {stop_reason: tool_use}]
  - [pause, {}, {stop_reason: pause_turn}]
  - [other, {raw: compaction}, {stop_reason: compaction}]
  - [other, {raw: OTHER}, {stop_reason: max_tokens}]
  - [tool-calls, {raw: end_turn}, {stop_reason: tool_use}]
  - [stop, {raw: tool_use}, {stop_reason: end_turn}]
  - [content-filter, {raw: sensitive}, {stop_reason: refusal}]
  - [content-filter, {raw: content_filter}, {stop_reason: refusal, stop_details: {type: refusal, category: null, explanation: null}}]
  - [refusal, {explanation: 'no'}, {stop_reason: refusal, stop_details: {type: refusal, category: null, explanation: 'no'}}]
`,
)('the finish reason %s with %j is mapped', (reason, fields, expected) => {
  const events = [begin, { ...finish, reason, ...fields }];
  for (const message of [whole(...events), streamed(...events)]) expect(message).toMatchObject(expected);
});

describe('a stream', () => {
  test('a stream is rendered byte for byte', () => {
    const started = { ...begin, usage: { ...noUsage, input: 25, cachedInput: 5 } };
    expect(pieces(started, ...part(0, 'text', 'a\u2028'), finish).join('')).toBe(
      [
        'event: message_start',
        'data: {"type":"message_start","message":{"id":"msg_ab","type":"message","role":"assistant","model":"up","content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,"container":null,"diagnostics":null,"usage":{"input_tokens":20,"cache_creation_input_tokens":0,"cache_read_input_tokens":5,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":0,"output_tokens_details":{"thinking_tokens":0},"server_tool_use":null,"service_tier":null,"inference_geo":null,"speed":null}}}',
        '',
        'event: content_block_start',
        'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","citations":null}}',
        '',
        'event: content_block_delta',
        'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\\u2028"}}',
        '',
        'event: content_block_stop',
        'data: {"type":"content_block_stop","index":0}',
        '',
        'event: message_delta',
        'data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null,"stop_details":null,"container":null},"usage":{"input_tokens":100,"cache_creation_input_tokens":50,"cache_read_input_tokens":800,"cache_creation":{"ephemeral_5m_input_tokens":30,"ephemeral_1h_input_tokens":20},"output_tokens":70,"output_tokens_details":{"thinking_tokens":40},"server_tool_use":null,"service_tier":null,"inference_geo":null,"speed":null}}',
        '',
        'event: message_stop',
        'data: {"type":"message_stop"}',
        '\n',
      ].join('\n'),
    );
  });

  test('interleaved calls have one open block at a time, and the second waits', () => {
    const events: [GenerateEvent, string][] = [
      [begin, 'message_start'],
      [partStart(0, { type: 'reasoning' }), ''],
      [delta(0, 'a'), 'start 0 thinking | thinking_delta 0 a'],
      [end(0), 'stop 0'],
      [call(1, 'c0'), 'start 1 tool_use c0'],
      [delta(1, '{"x":'), 'input_json_delta 1 {"x":'],
      [call(2, 'c1'), ''],
      [delta(2, '{}'), ''],
      [delta(1, '1}'), 'input_json_delta 1 1}'],
      [end(1), 'stop 1 | start 2 tool_use c1 | input_json_delta 2 {}'],
      [end(2), 'stop 2'],
      [{ ...finish, reason: 'tool-calls' }, 'message_delta | message_stop'],
    ];
    const written = pieces(...events.map(([event]) => event));
    expect(written.map(steps)).toEqual(events.map(([, expected]) => expected));
    const content = [{}, { input: { x: 1 } }, { input: {} }];
    expect(readMessage(written.join(''))).toMatchObject({ stop_reason: 'tool_use', content });
  });

  test('a call is streamed as soon as the call before it is complete', () => {
    const [x, y] = [delta(0, '{"x":1}'), delta(1, '{"y"')];
    expect(pieces(begin, call(0), x, call(1), y, call(2), delta(1, ':2}')).map(steps).slice(1)).toEqual([
      'start 0 tool_use c0',
      'input_json_delta 0 {"x":1}',
      'stop 0 | start 1 tool_use c1',
      'input_json_delta 1 {"y"',
      '',
      'input_json_delta 1 :2}',
    ]);
  });

  test('the model has the name of the request if the upstream sends none', () => {
    const unnamed = { ...begin, model: '' };
    const messages = [
      streamed(unnamed, finish),
      streamed(finish),
      whole(unnamed, finish),
      whole(begin, finish),
    ];
    expect(messages.map(({ model }) => model)).toEqual(['m', 'm', 'm', 'up']);
  });

  test('a stream begins exactly once, even without a start event', () => {
    for (const events of [[begin, begin, finish], [finish]])
      expect(steps(pieces(...events).join(''))).toBe('message_start | message_delta | message_stop');
  });

  test('a stream reports the usage of its start if its end has none', () => {
    const { usage: told } = streamed({ ...begin, usage }, { ...finish, usage: null });
    expect(told).toMatchObject({ input_tokens: 100, output_tokens: 70 });
  });
});
