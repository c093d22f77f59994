import type { GenerateEvent, GenerateFormat, GenerateRequest, Signature } from '@model-gateway/canonical';
import { brief, readAll } from '@model-gateway/canonical/testing/events';
import {
  call,
  png,
  result,
  says as said,
  signed,
  tells,
  thought,
  user,
} from '@model-gateway/canonical/testing/parts';
import { describe, expect, test } from 'vitest';
import { encodeInput } from '../testing/encode-input.ts';
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

const inputOf = (request: Partial<GenerateRequest> = {}, format: GenerateFormat = 'messages') =>
  encodeInput({ model: 'up-1', request: { messages: [], ...request } }, { format });

function decode(stream: string[], request: Partial<GenerateRequest> = {}, end = done): GenerateEvent[] {
  return readAll(chatDialect.decodeStream(inputOf(request)), stream.join('') + end);
}

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

test('fragments of a call that end in a bracket are no end of its JSON', () => {
  const stream = [
    calls(open(0, 'a', '{"a":"')),
    calls(more(0, '}')),
    calls(open(0, '', '}"}')),
    calls(open(1, 'b', '{}')),
  ];
  expect(brief(decode([...stream, ends('tool_calls')]))).toBe(
    '0+tool-call a f | 0 {"a":" | 0 } | 0 }"} | 0. | 1+tool-call b f | 1 {} | 1. | =tool-calls',
  );
});

const a = '0+tool-call a f | 0 {} | 0.';
const b = '1+tool-call b f | 1 {} | 1.';
test.each<[string, string[], string]>([
  [
    'pitfall 23: reasoning in the field named reasoning',
    [delta({ reasoning: 'Hm' }), says('a')],
    '0+reasoning | 0 Hm | 0. | 1+text | 1 a | 1. | =stop',
  ],
  [
    'pitfall 19: reasoning after text',
    [says('a'), thinks('Hm'), says('b')],
    '0+text | 0 a | 0. | 1+reasoning | 1 Hm | 1. | 2+text | 2 b | 2. | =stop',
  ],
  [
    'a refusal',
    [delta({ refusal: 'No' }), delta({ refusal: '.' })],
    '0+refusal | 0 No | 0 . | 0. | =refusal',
  ],
  [
    'pitfall 16: empty text, which becomes no part',
    [says(''), delta({ content: '', tool_calls: [open(0, 'a', '{}')] })],
    `${a} | =tool-calls`,
  ],
  [
    'choices that were not requested',
    [says('a'), says('c'), says('b', 1)],
    '0+text | 0 a | 0 c | 0. | =stop',
  ],
  [
    'choices that were not requested, in turn',
    [says(''), says('', 1), says('a'), says('b', 1), says('c')],
    '0+text | 0 a | 0 c | 0. | =stop',
  ],
  [
    'a choice whose index counts up',
    [says('a'), says('b', 1), says('c', 2)],
    '0+text | 0 a | 0 b | 0 c | 0. | =stop',
  ],
  [
    'a choice with another index',
    [says('a', 1), says('b', 1), ends('stop', { index: 1 })],
    '0+text | 0 a | 0 b | 0. | =stop',
  ],
  ['an index in text', [says('a', '0' as never), says('b', '0' as never)], '0+text | 0 a | 0 b | 0. | =stop'],
  [
    'a message in place of a delta',
    [chunk({ choices: [{ index: 0, message: { role: 'assistant', content: 'a' } }] })],
    '0+text | 0 a | 0. | =stop',
  ],
  [
    'a bare text in place of a delta',
    [
      chunk({ choices: [{ index: 0, text: 'a' }] }),
      chunk({ choices: [{ index: 0, text: 'b', delta: null }] }),
    ],
    '0+text | 0 a | 0 b | 0. | =stop',
  ],
  [
    'a delta that is a text',
    [chunk({ choices: [{ index: 0, delta: 'a' }] }), chunk({ choices: [{ index: 0, message: 'b' }] })],
    '0+text | 0 a | 0 b | 0. | =stop',
  ],
  [
    'a message beside the deltas that it repeats',
    [chunk({ choices: [{ index: 0, delta: { content: 'a' }, message: { content: 'a' } }] })],
    '0+text | 0 a | 0. | =stop',
  ],
  [
    'an empty function call and an empty error',
    [
      chunk({
        error: {},
        choices: [{ index: 0, delta: { content: 'a', function_call: { name: '', arguments: '' } } }],
      }),
    ],
    '0+text | 0 a | 0. | =stop',
  ],
  [
    'pitfall 7: parallel calls',
    [
      calls(open(0, 'a')),
      calls(more(0, '{"x":')),
      calls(more(0, '1}')),
      calls(open(1, 'b')),
      calls(more(1, '{}')),
    ],
    `0+tool-call a f | 0 {"x": | 0 1} | 0. | ${b} | =tool-calls`,
  ],
  [
    'pitfall 8: late fragments of an earlier call',
    [calls(open(0, 'a')), calls(more(0, '{"x":')), calls(open(1, 'b', '{}')), calls(more(0, '1}'))],
    '0+tool-call a f | 0 {"x": | 1+tool-call b f | 0 1} | 0. | 1 {} | 1. | =tool-calls',
  ],
  [
    'calls with id and name in each fragment',
    [calls(open(0, 'a', '{"x":')), calls(open(0, 'a', '1}')), calls(open(0, 'a'))],
    '0+tool-call a f | 0 {"x": | 0 1} | 0. | =tool-calls',
  ],
  [
    'calls that all have index 0',
    [calls(open(0, 'a', '{}')), calls(open(0, 'b')), calls(more(0, '{}'))],
    `${a} | ${b} | =tool-calls`,
  ],
  [
    'calls without an index',
    [calls(open(undefined, 'a')), calls(more(undefined, '{}')), calls(open(undefined, 'b', '{}'))],
    `${a} | ${b} | =tool-calls`,
  ],
  ['whole calls in one chunk', [calls(open(0, 'a', '{}'), open(1, 'b', '{}'))], `${a} | ${b} | =tool-calls`],
  [
    'a call with arguments as an object',
    [calls(open(0, 'a', { x: 1 }))],
    '0+tool-call a f | 0 {"x":1} | 0. | =tool-calls',
  ],
  [
    'a call whose name arrives late',
    [calls({ id: 'a', ...more(0, '{') }), calls({ index: 0, function: { name: 'f', arguments: '}' } })],
    '0+tool-call a f | 0 { | 0 } | 0. | =tool-calls',
  ],
  ['text after a call', [calls(open(0, 'a', '{}')), says('So')], `${a} | 1+text | 1 So | 1. | =tool-calls`],
  [
    'a call in `function_call`',
    [delta({ function_call: { name: 'f', arguments: '' } }), delta({ function_call: { arguments: '{}' } })],
    '0+tool-call call_ f | 0 {} | 0. | =tool-calls',
  ],
])('a stream of %s is decoded into parts', (_what, stream, expected) => {
  expect(brief(decode([...stream, ends()])).replace(/ call_\w+/g, ' call_')).toBe(expected);
});

test.each([
  [calls(open(0, '', '{}')), calls(open(0, '', '{}'))],
  [calls(open(0, '0', '{}')), calls(open(1, '0', '{}'))],
  [calls({ ...open(0, '', '{"x":1}'), id: undefined }, { ...open(0, '', '{"x":2}'), id: undefined })],
])('pitfall 30: calls without ids, or with the same id, get unique ids', (...stream) => {
  const ids = [...brief(decode([...stream, ends()])).matchAll(/\+tool-call ([\w-]{1,40}) f/g)].map(
    ([, id]) => id,
  );
  expect([ids.length, new Set(ids).size]).toEqual([2, 2]);
});

const x = '0+tool-call a f | 0 {"x":1} | 0.';
const xInTwo = '0+tool-call a f | 0 {"x": | 0 1} | 0.';
test.each<[string, string[], string]>([
  [
    'the id changes',
    [calls(open(0, 'a')), calls({ ...more(0, '{"x":'), id: 'b' }), calls({ ...more(0, '1}'), id: 'b' })],
    xInTwo,
  ],
  [
    'the id changes once, and again after its end',
    [calls(open(0, 'a', '{"x":')), calls({ ...more(0, '1}'), id: 'b' }), calls({ ...more(0, ''), id: 'b' })],
    xInTwo,
  ],
  [
    'the id changes, without an index',
    [calls(open(undefined, 'a')), calls({ ...more(undefined, '{"x":1}'), id: 'b' })],
    x,
  ],
  ['the id is blank later', [calls(open(0, 'a')), calls({ ...more(0, '{"x":1}'), id: ' ' })], x],
  ['the id is a number', [calls({ ...open(0, ''), id: 7 }), calls({ ...more(0, '{"x":1}'), id: 7 })], x],
  [
    'an empty object comes first',
    [calls(open(0, 'a', {})), calls(more(0, '{"x":')), calls(more(0, '1}'))],
    xInTwo,
  ],
  ['an empty object comes first as text', [calls(open(0, 'a', '{}')), calls(more(0, '{"x":1}'))], x],
  [
    'an empty object comes last',
    [calls(open(0, 'a', '{"x":1}')), calls({ index: 0, function: { arguments: {} } })],
    x,
  ],
  ['there is an empty object alone', [calls(open(0, 'a', {}))], a],
  ['white space follows', [calls(open(0, 'a', '{"x":1}')), calls(more(0, '\n'))], x],
  [
    'it comes once more in one piece',
    [calls(open(0, 'a', '{"x":')), calls(more(0, '1}')), calls(open(0, 'a', '{"x":1}'))],
    xInTwo,
  ],
])('a call is one call if %s', (_what, stream, expected) => {
  const parts = brief(decode([...stream, ends('tool_calls')])).replace('+tool-call 7 ', '+tool-call a ');
  expect(parts).toBe(`${expected} | =tool-calls`);
});

test.each<[string, object[], string]>([
  [
    'in pieces',
    [{ name: 'get_' }, { name: 'weather', arguments: '' }, { arguments: '{"x":1}' }],
    'get_weather',
  ],
  [
    'in pieces beside an id',
    [{ id: 'a', name: 'get_' }, { id: 'a', name: 'weather' }, { arguments: '{"x":1}' }],
    'get_weather',
  ],
  [
    'in each fragment',
    [{ name: 'get_weather' }, { name: 'get_weather', arguments: '{"x":1}' }],
    'get_weather',
  ],
  ['that no tool has', [{ name: 'other' }, { name: 'other', arguments: '{"x":1}' }], 'other'],
  ['that no tool has, in one piece', [{ name: 'other', arguments: '{"x":1}' }], 'other'],
])('a call has its name %s', (_what, fragments, name) => {
  const tools = ['get_weather', 'f'].map(name => ({ type: 'function' as const, name }));
  const stream = fragments.map(({ id, ...fn }: { id?: string }) => calls({ index: 0, id, function: fn }));
  const parts = brief(decode([...stream, ends()], { tools })).replace(/tool-call \w+/, 'tool-call');
  expect(parts).toBe(`0+tool-call ${name} | 0 {"x":1} | 0. | =tool-calls`);
});

test('calls whose names follow one another are calls of their own', () => {
  const tools = ['get', 'put'].map(name => ({ type: 'function' as const, name }));
  const named = (name: string) => calls({ index: 0, function: { name } });
  const events = decode([named('get'), named('other'), named('put'), ends()], { tools });
  const names = events.flatMap(event =>
    event.type === 'part-start' && 'name' in event.part ? event.part.name : [],
  );
  expect(names).toEqual(['get', 'other', 'put']);
});

test.each<[string, string[], string]>([
  [
    'text',
    [calls(open(0, 'a', '{"x":')), says('Hm'), calls(more(0, '1}'))],
    '0+tool-call a f | 0 {"x": | 1+text | 1 Hm | 1. | 0 1} | 0.',
  ],
  [
    'reasoning and text',
    [calls(open(0, 'a')), thinks('Hm'), calls(more(0, '{"x":')), says('So'), calls(more(0, '1}'))],
    '0+tool-call a f | 1+reasoning | 1 Hm | 1. | 0 {"x": | 2+text | 2 So | 2. | 0 1} | 0.',
  ],
])('a call goes on after %s', (_what, stream, expected) => {
  expect(brief(decode([...stream, ends('tool_calls')]))).toBe(`${expected} | =tool-calls`);
});

test('two whole objects under one index and id are two calls', () => {
  const stream = [calls(open(0, 'a', '{"x":1}')), calls(more(0, '{"x":')), calls(more(0, '2}')), ends()];
  const parts = brief(decode(stream)).replace(/call_\w+/, 'call_');
  expect(parts).toBe(`${x} | 1+tool-call call_ f | 1 {"x": | 1 2} | 1. | =tool-calls`);
});

describe('reasoning in details', () => {
  const details = (...reasoning_details: object[]) => delta({ reasoning_details });
  const detail = (text: string, more: object = {}) => ({ type: 'reasoning.text', text, index: 0, ...more });
  const endsOf = (events: GenerateEvent[]) =>
    events.flatMap(event => (event.type === 'part-end' ? (event.signature ?? null) : []));
  const asSignature = (value: object) => ({ format: 'chat', value: JSON.stringify(value) });

  test('has its text, and a signature of all the rest', () => {
    const events = decode([
      ...[details(detail('H', { format: 'v1', signature: null })), details(detail('m'))],
      ...[details(detail('', { signature: 'sig' })), says('a'), ends()],
    ]);
    expect(brief(events)).toBe('0+reasoning | 0 H | 0 m | 0. | 1+text | 1 a | 1. | =stop');
    const rest = { type: 'reasoning.text', index: 0, format: 'v1', signature: 'sig' };
    expect(endsOf(events)).toEqual([asSignature(rest), null]);
  });

  test('counts once if the text is beside it', () => {
    const events = decode([delta({ reasoning: 'Hm', reasoning_details: [detail('Hm')] }), ends()]);
    expect(brief(events)).toBe('0+reasoning | 0 Hm | 0. | =stop');
  });

  test('may be a summary, and data that only the vendor reads', () => {
    const encrypted = { type: 'reasoning.encrypted', data: 'EmwK', id: 'rs_1', index: 1 };
    const summary = { type: 'reasoning.summary', summary: 'Hm', id: 'rs_1', index: 0 };
    const events = decode([details(summary), details(encrypted), calls(open(0, 'a', '{"x":1}')), ends()]);
    expect(brief(events)).toBe(
      '0+reasoning | 0 Hm | 0. | 1+reasoning | 1. | 2+tool-call a f | 2 {"x":1} | 2. | =tool-calls',
    );
    expect(events.filter(({ type }) => type === 'part-start')[1]).toMatchObject({ part: { redacted: true } });
    const { summary: _, ...rest } = summary;
    expect(endsOf(events)).toEqual([asSignature(rest), asSignature(encrypted), null]);
  });

  test('has a part for each index, and a signature that comes late', () => {
    const events = decode([
      ...[details(detail('a'), detail('b', { index: 1 })), says('So')],
      ...[details(detail('', { index: 1, signature: 'sig' })), details(5 as never), ends()],
    ]);
    expect(brief(events)).toBe(
      '0+reasoning | 0 a | 0. | 1+reasoning | 1 b | 1. | 2+text | 2 So | 2. | 3+reasoning | 3. | =stop',
    );
  });

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

test('a name in the namespace of Gemini models is that of the tool', () => {
  const tools = [{ type: 'function' as const, name: 'f' }];
  const named = (name: string) =>
    decode([calls({ index: 0, id: 'a', function: { name, arguments: '{"x":1}' } }), ends()], { tools })[1];
  expect(named('default_api:f')).toMatchObject({ part: { name: 'f' } });
  expect(named('default_api.f')).toMatchObject({ part: { name: 'f' } });
  expect(named('default_api:g')).toMatchObject({ part: { name: 'default_api:g' } });
});

test('a custom tool call has free text as its arguments', () => {
  const custom = { index: 0, id: 'a', type: 'custom', custom: { name: 'sql', input: 'SELECT' } };
  const events = decode([calls(custom), calls({ index: 0, custom: { input: ' 1' } }), ends('tool_calls')]);
  expect(brief(events)).toBe('0+tool-call a sql | 0 SELECT | 0  1 | 0. | =tool-calls');
  expect(events[1]).toMatchObject({ part: { custom: true } });
});

test('an image becomes a part', () => {
  const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }];
  expect(decode([says('Here'), delta({ images }), ends()])[4]).toMatchObject({ index: 1, part: png });
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

test('pitfall 9: a response with tool calls ends with tool-calls, even if the upstream reports stop later', () => {
  expect(brief(decode([calls(open(0, 'a', '{}')), says(''), ends()]))).toBe(`${a} | =tool-calls`);
});

test.each(['length', 'content_filter', 'sensitive'])(
  'a cut that is %s stays one if the upstream reports stop later',
  raw => {
    expect(decode([says('a'), ends(raw), ends()]).at(-1)).toMatchObject({ raw });
  },
);

test('pitfall 3: the last reported usage counts, in any chunk', () => {
  const usage = (prompt_tokens: number) => ({ usage: { prompt_tokens, completion_tokens: 2 } });
  const early = chunk({ choices: [{ index: 0, delta: { content: 'a' } }], ...usage(1) });
  const last = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], ...usage(9) });
  expect(decode([early, last]).at(-1)).toMatchObject({ usage: { input: 9, output: 2 } });
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

test("a chunk without choices, such as Azure's filter results, does not set the id and model", () => {
  const filters = chunk({ id: '', model: '', object: '', choices: [], prompt_filter_results: [] });
  expect(decode([filters, says('a'), ends()])[0]).toEqual({ type: 'start', id: 'chatcmpl-9', model: 'up-1' });
});

test('content as a list of texts and thinking is read', () => {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };
  const texts = [
    { type: 'text', text: 'a' },
    { type: 'reference', reference_ids: [1] },
    { type: 'text', text: 'b' },
  ];
  expect(brief(decode([says([thinking]), says(texts), says('c'), ends()]))).toBe(
    '0+reasoning | 0 Hm. | 0. | 1+text | 1 a | 1 b | 1 c | 1. | =stop',
  );
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
  const events = decode(stream);
  expect(brief(events)).toBe(
    '0+text | 0 Hm | 0. | 1+reasoning | 1. | 2+tool-call c f | 2 {} | 2. | =tool-calls',
  );
  const proof = signed('CoYB', 'generate-content');
  const endsOf = (all: GenerateEvent[]) => all.filter(({ type }) => type === 'part-end');
  const end = (index: number, more: object = {}) => ({ type: 'part-end', index, ...more });
  expect(endsOf(events)).toEqual([end(0), end(1, proof), end(2, proof)]);
  const ofChat = readAll(chatDialect.decodeStream(inputOf({}, 'chat')), stream.join('') + done);
  expect(endsOf(ofChat)).toEqual([end(0), end(1, proof)]);
});
