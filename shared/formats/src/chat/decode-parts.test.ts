import type { GenerateEvent, GenerateRequest, Signature } from '@model-gateway/canonical';
import { brief, readAll } from '@model-gateway/canonical/testing/events';
import {
  call,
  result,
  says as said,
  signed,
  tells,
  thought,
  user,
} from '@model-gateway/canonical/testing/parts';
import { describe, expect, test } from 'vitest';
import { encodeInput } from '../testing/encode-input.ts';
import { testFixtures } from '../testing/fixtures.ts';
import { chatDialect } from './dialect.ts';

const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-9', object: 'chat.completion.chunk', created: 1, model: 'up-1', ...fields })}\n\n`;
const delta = (fields: object, index = 0) =>
  chunk({ choices: [{ index, delta: fields, finish_reason: null }] });
const says = (content: unknown, index = 0) => delta({ content }, index);
const thinks = (reasoning_content: string) => delta({ reasoning_content });
const calls = (...tool_calls: object[]) => delta({ tool_calls });
const ends = (finish_reason = 'stop', more: object = {}) =>
  chunk({ choices: [{ index: 0, delta: {}, finish_reason, ...more }] });
const done = 'data: [DONE]\n\n';
/** The beginning of a call of `f`, and more of its arguments. */
const open = (index: number | undefined, id: string, args: unknown = '') => ({
  ...{ index, id, type: 'function' },
  function: { name: 'f', arguments: args },
});
const more = (index: number | undefined, args: string) => ({ index, function: { arguments: args } });

const inputOf = (request: Partial<GenerateRequest> = {}) =>
  encodeInput({ model: 'up-1', request: { messages: [], ...request } });

function decode(stream: string[], request: Partial<GenerateRequest> = {}, end = done): GenerateEvent[] {
  return readAll(chatDialect.decodeStream(inputOf(request)), stream.join('') + end);
}

type Sent = { chunks: (object | string)[]; request?: Partial<GenerateRequest> };
testFixtures(import.meta.dirname, 'decode', ({ chunks, request }: Sent) => {
  const sent = chunks.map(each => (typeof each === 'string' ? each : chunk(each)));
  return decode(sent, request);
});

test.each([1, 7, 1e9])('a response is decoded the same, read %i bytes at a time', size => {
  const prompt_tokens_details = { cached_tokens: 800, cache_write_tokens: 50 };
  const counts = { prompt_tokens: 950, completion_tokens: 70, prompt_tokens_details };
  const usage = { ...counts, completion_tokens_details: { reasoning_tokens: 40 } };
  const begun = delta({ role: 'assistant', content: '', refusal: null });
  const stream = [
    begun,
    thinks('Hm'),
    says('Hé'),
    says('llo\u2028'),
    ends(),
    chunk({ choices: [], usage }),
    done,
  ];
  const events = readAll(chatDialect.decodeStream(inputOf()), stream.join(''), size);
  expect(events[0]).toEqual({ type: 'start', id: 'chatcmpl-9', model: 'up-1' });
  expect(brief(events)).toBe('0+reasoning | 0 Hm | 0. | 1+text | 1 Hé | 1 llo\u2028 | 1. | =stop');
  expect(events.at(-1)).toMatchObject({
    usage: { input: 950, cachedInput: 800, cacheWrite5m: 50, output: 70, reasoning: 40 },
  });
});

test('an answer with more tool calls than models make is refused', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => calls(open(i, `c${i}`, '{}')));
  expect(decode([...many(1_000), ends('tool_calls')]).at(-1)).toMatchObject({ type: 'finish' });
  expect(decode(many(1_001)).at(-1)).toMatchObject({
    ...{ type: 'error', kind: 'upstream' },
    message: 'The upstream sent more than 1000 tool calls in one answer.',
  });
});

const a = '0+tool-call a f | 0 {} | 0.';

describe('reasoning in details', () => {
  const details = (...reasoning_details: object[]) => delta({ reasoning_details });
  const detail = (text: string, more: object = {}) => ({ type: 'reasoning.text', text, index: 0, ...more });

  test('goes back to the vendors that have it as it came, and to no other', () => {
    const stream = [details(detail('Hm', { signature: 'sig' })), calls(open(0, 'a', '{}')), ends()];
    const signature = decode(stream).find(event => event.type === 'part-end')?.signature;
    const turn = (differences: object) => {
      const messages = [
        ...[
          user('a'),
          said(thought('Hm', { signature: signature as Signature }), call('a')),
          tells(result('a', 'x')),
        ],
      ];
      const input = { ...encodeInput({ model: 'm', request: { messages } }), differences };
      return JSON.parse(chatDialect.encode(input).body.toString()).messages[1];
    };
    const { reasoning_details, reasoning } = turn({ reasoning: 'reasoning', reasoningDetails: true });
    expect(reasoning_details).toEqual([detail('Hm', { signature: 'sig' })]);
    expect(reasoning).toBeUndefined();
    expect(turn({ reasoning: 'reasoning' })).toMatchObject({ reasoning: 'Hm' });
    expect(turn({})).not.toHaveProperty('reasoning_details');
  });
});

test.each<[string, string, object, string]>([
  ['stop', 'stop', {}, 'stop'],
  ['pitfall 10: length, which wins over calls', 'length', {}, 'length'],
  ['pitfall 10: a content filter, which wins over calls', 'content_filter', {}, 'content-filter'],
  ['an ordinary end of another server', 'eos', {}, 'stop'],
  ['an ordinary end, although there are calls', 'complete', {}, 'tool-calls'],
  ['an unknown reason', 'brand_new', {}, 'other'],
  ['an unknown reason, although there are calls', 'brand_new', {}, 'other'],
  ['a requested stop string', 'stop', { stop_reason: 'END' }, 'stop-sequence'],
  ['a stop string that was not requested', 'stop', { stop_reason: 'x' }, 'stop'],
])('the finish reason is mapped: %s', (what, raw, fields, reason) => {
  const content = what.includes('calls') ? calls(open(0, 'a', '{"x"')) : says('a');
  expect(decode([content, ends(raw, fields)], { stop: ['END'] }).at(-1)).toMatchObject({
    ...{ reason, raw },
    ...(reason === 'stop-sequence' && { stopSequence: 'END' }),
  });
});

test.each<[string, string[], string, string]>([
  ['pitfall 21: a truncated stream', [says('a')], '', '0+text | 0 a | !upstream'],
  [
    'pitfall 20: an error',
    [says('a'), 'data: {"error":{"message":"boom","code":503}}\n\n', ends()],
    done,
    '0+text | 0 a | !overloaded',
  ],
  ['the finish reason error', [says('a'), ends('error')], done, '0+text | 0 a | !upstream'],
  ['a malformed event', [says('a'), 'data: {"choices": [\n\n'], done, '0+text | 0 a | !upstream'],
  ['fields of the wrong type', [says('a'), chunk({ choices: {} })], done, '0+text | 0 a | !upstream'],
  ['content of a wrong type', [says('a'), says(5)], done, '0+text | 0 a | !upstream'],
  ['content that is an object', [says('a'), says({})], done, '0+text | 0 a | !upstream'],
  ['content of no parts', [says('a'), says([5, null])], done, '0+text | 0 a | !upstream'],
  ['a part without text', [says('a'), says([{ type: 'text', text: 5 }])], done, '0+text | 0 a | !upstream'],
  ['reasoning in parts', [says('a'), delta({ reasoning_content: [{}] })], done, '0+text | 0 a | !upstream'],
  ['a refusal of a wrong type', [says('a'), delta({ refusal: true })], done, '0+text | 0 a | !upstream'],
  ['a call without a name', [calls({ id: 'a', ...more(0, '{}') }), ends('tool_calls')], done, '!upstream'],
  [
    'more arguments for a call that has ended',
    [calls(open(0, 'a', '{}')), says('b'), calls(more(0, '1}'))],
    done,
    `${a} | 1+text | 1 b | !upstream`,
  ],
  // A retry is possible, since nothing came before.
  ['an error before the first part', [says(''), 'data: {"error":{"message":"boom"}}\n\n'], done, '!upstream'],
])('a response becomes an error by %s', (_what, stream, end, expected) => {
  const events = decode(stream, {}, end);
  expect(brief(events)).toBe(expected);
  if (expected === '!upstream') expect(events).toHaveLength(1);
});

const counted = chunk({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } });
test.each<[string, string[], string]>([
  ['after its usage is whole', [says('a'), counted], '0+text | 0 a | 0. | =stop'],
  ['alone may be cut off', [says('a'), ends('')], '0+text | 0 a | 0. | =length'],
  ['after a call has a call', [calls(open(0, 'a', '{}'))], `${a} | =tool-calls`],
  ['after a call and its usage has a call', [calls(open(0, 'a', '{}')), counted], `${a} | =tool-calls`],
])('a response without a finish reason whose end mark comes %s', (_what, stream, expected) => {
  expect(brief(decode(stream))).toBe(expected);
  expect(decode(stream, {}, '').at(-1)).toMatchObject({ type: 'error', kind: 'upstream' });
});

test('pitfall 22: a response with a finish reason but no end marker is complete', () => {
  const decoder = chatDialect.decodeStream(inputOf());
  decoder.read(Buffer.from(says('a') + ends()));
  expect(decoder.complete).toBe(true);
  expect(brief(decoder.end())).toBe('0. | =stop');
});

test('tool names that the format does not allow are replaced, and restored in the response', () => {
  const tools = [{ type: 'function' as const, name: 'mcp.server:read' }];
  const [tool] = JSON.parse(chatDialect.encode(inputOf({ tools })).body.toString()).tools;
  const { name } = tool.function;
  expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  const events = decode([calls({ index: 0, id: 'c', function: { name, arguments: '{}' } }), ends()], {
    tools,
  });
  expect(events[1]).toMatchObject({ part: { name: 'mcp.server:read' } });
});

test.each([
  'data: {"object":"error","message":"boom","type":"BadRequestError","param":null,"code":400}\n\n',
  'event: error\ndata: {"message":"boom","code":500}\n\n',
])('an error in an older shape is an error event: %j', error => {
  expect(decode([says('a'), error]).at(-1)).toMatchObject({ type: 'error', message: 'boom' });
});

test("a call's signature comes at its end, and before it if calls cannot hold it", () => {
  const extra_content = { google: { thought_signature: 'CoYB' } };
  const stream = [says('Hm'), calls({ ...open(0, 'c', '{}'), extra_content }), ends()];
  const events = decode(stream, { signaturesBefore: true });
  expect(brief(events)).toBe(
    '0+text | 0 Hm | 0. | 1+reasoning | 1. | 2+tool-call c f | 2 {} | 2. | =tool-calls',
  );
  const proof = signed('CoYB', 'generate-content');
  const endsOf = (all: GenerateEvent[]) => all.filter(({ type }) => type === 'part-end');
  const end = (index: number, more: object = {}) => ({ type: 'part-end', index, ...more });
  expect(endsOf(events)).toEqual([end(0), end(1, proof), end(2, proof)]);
  expect(endsOf(decode(stream))).toEqual([end(0), end(1, proof)]);
});
