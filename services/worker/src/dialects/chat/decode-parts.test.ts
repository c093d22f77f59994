import type { Envelope, GenerateEvent, GenerateRequest, Message } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { describe, expect, test } from 'vitest';
import { encodeInput, type InputFields } from '../../testing/encode-input.ts';
import type { GenerateInput } from '../dialect.ts';
import { chatDialect } from './dialect.ts';

const envelope = (format: Envelope['format'] = 'messages') => testEnvelope({ format });
const user: Message = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };

function input(
  fields: Partial<GenerateRequest> = {},
  { envelope: sent = envelope(), ...more }: InputFields = {},
): GenerateInput {
  return encodeInput({ model: 'up-1', request: { messages: [user], ...fields }, ...more }, sent);
}

const png = {
  type: 'media',
  kind: 'image',
  mediaType: 'image/png',
  source: { type: 'base64', data: 'iVBO' },
} as const;
const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-9', object: 'chat.completion.chunk', created: 1, model: 'up-1', ...fields })}\n\n`;
const delta = (fields: object, index = 0) =>
  chunk({ choices: [{ index, delta: fields, finish_reason: null }] });
const toolDelta = (...calls: object[]) => delta({ tool_calls: calls });
const finish = (reason: string, more: object = {}) =>
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: reason, ...more }] });
const done = 'data: [DONE]\n\n';

function decode(
  stream: string[],
  fields: Partial<GenerateRequest> = {},
  { end = done, size = 1e9 } = {},
): GenerateEvent[] {
  const decoder = chatDialect.decodeStream(input(fields));
  const bytes = Buffer.from(stream.join('') + end);
  const events: GenerateEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...decoder.read(bytes.subarray(at, at + size)));
  return [...events, ...decoder.end()];
}

/** Formats events briefly: `0+text`, `0 Hi`, `0.`, `=stop`. */
function short(events: GenerateEvent[]): string[] {
  return events.flatMap(event => {
    switch (event.type) {
      case 'part-start':
        return `${event.index}+${event.part.type}${event.part.type === 'tool-call' ? ` ${event.part.id} ${event.part.name}` : ''}`;
      case 'part-delta':
        return `${event.index} ${event.text}`;
      case 'part-end':
        return `${event.index}.`;
      case 'finish':
        return `=${event.reason}`;
      case 'error':
        return `!${event.kind}`;
      default:
        return [];
    }
  });
}

const open = (index: number, id: string, args = '') => ({
  index,
  id,
  type: 'function',
  function: { name: 'weather', arguments: args },
});
const more = (index: number, args: string) => ({ index, function: { arguments: args } });

describe('a response in parts', () => {
  test.each([1, 7, 1e9])('a response is decoded the same, read %i bytes at a time', size => {
    const stream = [
      delta({ role: 'assistant', content: '', refusal: null }),
      delta({ reasoning_content: 'Hm' }),
      delta({ content: 'Hé' }),
      delta({ content: 'llo\u2028' }),
      finish('stop'),
      chunk({
        choices: [],
        usage: {
          prompt_tokens: 950,
          completion_tokens: 70,
          prompt_tokens_details: { cached_tokens: 800, cache_write_tokens: 50 },
          completion_tokens_details: { reasoning_tokens: 40 },
        },
      }),
    ];
    const events = decode(stream, {}, { size });
    expect(events[0]).toEqual({ type: 'start', id: 'chatcmpl-9', model: 'up-1' });
    expect(short(events)).toEqual([
      '0+reasoning',
      '0 Hm',
      '0.',
      '1+text',
      '1 Hé',
      '1 llo\u2028',
      '1.',
      '=stop',
    ]);
    expect(events.at(-1)).toMatchObject({
      usage: { input: 950, cachedInput: 800, cacheWrite5m: 50, output: 70, reasoning: 40 },
    });
  });

  test.each<[string, string[], string[]]>([
    [
      'pitfall 23: reasoning in the field named reasoning',
      [delta({ reasoning: 'Hm' }), delta({ content: 'a' })],
      ['0+reasoning', '0 Hm', '0.', '1+text', '1 a', '1.', '=stop'],
    ],
    [
      'pitfall 19: reasoning after text',
      [delta({ content: 'a' }), delta({ reasoning_content: 'Hm' }), delta({ content: 'b' })],
      ['0+text', '0 a', '0.', '1+reasoning', '1 Hm', '1.', '2+text', '2 b', '2.', '=stop'],
    ],
    [
      'a refusal',
      [delta({ refusal: 'No' }), delta({ refusal: '.' })],
      ['0+refusal', '0 No', '0 .', '0.', '=refusal'],
    ],
    [
      'pitfall 16: empty text, which becomes no part',
      [delta({ content: '' }), delta({ content: '', tool_calls: [open(0, 'a', '{}')] })],
      ['0+tool-call a weather', '0 {}', '0.', '=tool-calls'],
    ],
    [
      'choices that were not requested, which are left out',
      [delta({ content: 'a' }), delta({ content: 'b' }, 1)],
      ['0+text', '0 a', '0.', '=stop'],
    ],
    [
      'pitfall 7: parallel calls',
      [
        toolDelta(open(0, 'a')),
        toolDelta(more(0, '{"x":')),
        toolDelta(more(0, '1}')),
        toolDelta(open(1, 'b')),
        toolDelta(more(1, '{}')),
      ],
      [
        '0+tool-call a weather',
        '0 {"x":',
        '0 1}',
        '0.',
        '1+tool-call b weather',
        '1 {}',
        '1.',
        '=tool-calls',
      ],
    ],
    [
      'pitfall 8: late fragments of an earlier call',
      [
        toolDelta(open(0, 'a')),
        toolDelta(more(0, '{"x":')),
        toolDelta(open(1, 'b', '{}')),
        toolDelta(more(0, '1}')),
      ],
      [
        '0+tool-call a weather',
        '0 {"x":',
        '1+tool-call b weather',
        '1 {}',
        '0 1}',
        '0.',
        '1.',
        '=tool-calls',
      ],
    ],
    [
      'calls with id and name in each fragment',
      [toolDelta(open(0, 'a', '{"x":')), toolDelta(open(0, 'a', '1}')), toolDelta(open(0, 'a'))],
      ['0+tool-call a weather', '0 {"x":', '0 1}', '0.', '=tool-calls'],
    ],
    [
      'calls that all have index 0',
      [toolDelta(open(0, 'a', '{}')), toolDelta(open(0, 'b')), toolDelta(more(0, '{"y":2}'))],
      ['0+tool-call a weather', '0 {}', '0.', '1+tool-call b weather', '1 {"y":2}', '1.', '=tool-calls'],
    ],
    [
      'calls without an index',
      [
        toolDelta({ ...open(0, 'a'), index: undefined }),
        toolDelta({ function: { arguments: '{}' } }),
        toolDelta({ ...open(0, 'b', '{}'), index: undefined }),
      ],
      ['0+tool-call a weather', '0 {}', '0.', '1+tool-call b weather', '1 {}', '1.', '=tool-calls'],
    ],
    [
      'whole calls in one chunk',
      [toolDelta(open(0, 'a', '{}'), open(1, 'b', '{}'))],
      ['0+tool-call a weather', '0 {}', '0.', '1+tool-call b weather', '1 {}', '1.', '=tool-calls'],
    ],
    [
      'a call with arguments as an object',
      [toolDelta({ index: 0, id: 'a', function: { name: 'weather', arguments: { x: 1 } } })],
      ['0+tool-call a weather', '0 {"x":1}', '0.', '=tool-calls'],
    ],
    [
      'a call whose name arrives late',
      [
        toolDelta({ index: 0, id: 'a', function: { arguments: '{' } }),
        toolDelta({ index: 0, function: { name: 'weather', arguments: '}' } }),
      ],
      ['0+tool-call a weather', '0 {', '0 }', '0.', '=tool-calls'],
    ],
    [
      'text after a call',
      [toolDelta(open(0, 'a', '{}')), delta({ content: 'So' })],
      ['0+tool-call a weather', '0 {}', '0.', '1+text', '1 So', '1.', '=tool-calls'],
    ],
    [
      'a call in `function_call`',
      [
        delta({ function_call: { name: 'weather', arguments: '' } }),
        delta({ function_call: { arguments: '{}' } }),
      ],
      [`0+tool-call ${'call_'}`, '0 {}', '0.', '=tool-calls'],
    ],
  ])('a stream of %s is decoded into parts', (_what, stream, expected) => {
    const events = short(decode([...stream, finish('stop')]));
    expect(
      events.map((event, i) => (expected[i]?.endsWith('call_') ? event.slice(0, expected[i].length) : event)),
    ).toEqual(expected);
  });

  test('pitfall 30: calls without ids, or with the same id, get unique ids', () => {
    const streams = [
      [
        toolDelta({ index: 0, id: '', function: { name: 'a', arguments: '{}' } }),
        toolDelta({ index: 0, id: '', function: { name: 'b', arguments: '{}' } }),
      ],
      [
        toolDelta({ index: 0, id: '0', function: { name: 'a', arguments: '{}' } }),
        toolDelta({ index: 1, id: '0', function: { name: 'b', arguments: '{}' } }),
      ],
      [
        toolDelta(
          { index: 0, function: { name: 'a', arguments: '{"x":1}' } },
          { index: 0, function: { name: 'a', arguments: '{"x":2}' } },
        ),
      ],
    ];
    for (const stream of streams) {
      const ids = decode([...stream, finish('stop')]).flatMap(e =>
        e.type === 'part-start' && e.part.type === 'tool-call' ? [e.part.id] : [],
      );
      expect(new Set(ids).size).toBe(2);
      expect(ids.every(id => /^[\w-]{1,40}$/.test(id))).toBe(true);
    }
  });

  test('a custom tool call has free text as its arguments', () => {
    const custom = { index: 0, id: 'a', type: 'custom', custom: { name: 'sql', input: 'SELECT' } };
    expect(
      decode([toolDelta(custom), toolDelta({ index: 0, custom: { input: ' 1' } }), finish('tool_calls')]),
    ).toMatchObject([
      { type: 'start' },
      { part: { type: 'tool-call', id: 'a', name: 'sql', custom: true } },
      { text: 'SELECT' },
      { text: ' 1' },
      { type: 'part-end' },
      { reason: 'tool-calls' },
    ]);
  });

  test('an image becomes a part', () => {
    const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }];
    expect(decode([delta({ content: 'Here' }), delta({ images }), finish('stop')])[4]).toMatchObject({
      index: 1,
      part: png,
    });
  });

  test.each<[string, string, object, string]>([
    ['stop', 'stop', {}, 'stop'],
    ['pitfall 10: length, which wins over calls', 'length', {}, 'length'],
    ['pitfall 10: a content filter, which wins over calls', 'content_filter', {}, 'content-filter'],
    ['an unknown reason', 'eos', {}, 'other'],
    ['a requested stop string', 'stop', { stop_reason: 'END' }, 'stop-sequence'],
    ['a stop string that was not requested', 'stop', { stop_reason: 'x' }, 'stop'],
  ])('the finish reason is mapped: %s', (what, raw, fields, reason) => {
    const content = what.includes('calls') ? toolDelta(open(0, 'a', '{"x"')) : delta({ content: 'a' });
    expect(decode([content, finish(raw, fields)], { stop: ['END'] }).at(-1)).toMatchObject({ reason, raw });
  });

  test('pitfall 9: a response with tool calls ends with tool-calls, even if the upstream reports stop later', () => {
    expect(
      decode([toolDelta(open(0, 'a', '{}')), delta({ content: '' }), finish('stop')]).at(-1),
    ).toMatchObject({ reason: 'tool-calls' });
  });

  test('pitfall 3: the last reported usage counts, in any chunk', () => {
    const early = chunk({
      choices: [{ index: 0, delta: { content: 'a' } }],
      usage: { prompt_tokens: 1, completion_tokens: 1 },
    });
    const last = finish('stop').replace(
      '"choices"',
      '"usage":{"prompt_tokens":9,"completion_tokens":2},"choices"',
    );
    expect(decode([early, last]).at(-1)).toMatchObject({ usage: { input: 9, output: 2 } });
  });

  test.each<[string, string[], string, string[]]>([
    ['pitfall 21: a truncated stream', [delta({ content: 'a' })], '', ['0+text', '0 a', '!upstream']],
    [
      'an end marker without a finish reason',
      [delta({ content: 'a' })],
      done,
      ['0+text', '0 a', '!upstream'],
    ],
    [
      'pitfall 20: an error',
      [delta({ content: 'a' }), 'data: {"error":{"message":"boom","code":503}}\n\n', finish('stop')],
      done,
      ['0+text', '0 a', '!overloaded'],
    ],
    [
      'the finish reason error',
      [delta({ content: 'a' }), finish('error')],
      done,
      ['0+text', '0 a', '!upstream'],
    ],
    [
      'a malformed event',
      [delta({ content: 'a' }), 'data: {"choices": [\n\n'],
      done,
      ['0+text', '0 a', '!upstream'],
    ],
    [
      'fields of the wrong type',
      [delta({ content: 'a' }), chunk({ choices: {} })],
      done,
      ['0+text', '0 a', '!upstream'],
    ],
    [
      'a call without a name',
      [toolDelta({ index: 0, id: 'a', function: { arguments: '{}' } }), finish('tool_calls')],
      done,
      ['!upstream'],
    ],
    [
      'more arguments for a call that has ended',
      [toolDelta(open(0, 'a', '{}')), delta({ content: 'b' }), toolDelta(more(0, '{}'))],
      done,
      ['0+tool-call a weather', '0 {}', '0.', '1+text', '1 b', '!upstream'],
    ],
  ])('a response becomes an error by %s', (_what, stream, end, expected) => {
    const events = decode(stream, {}, { end });
    const got = short(events);
    expect(got.filter((_, i) => i < expected.length - 1)).toEqual(expected.slice(0, -1));
    expect(got.at(-1)).toBe(expected.at(-1));
    expect(got.filter(e => e.startsWith('!'))).toHaveLength(1);
  });

  test('an error before the first part is the only event, so that a retry is possible', () => {
    const events = decode([
      delta({ role: 'assistant', content: '' }),
      'data: {"error":{"message":"boom"}}\n\n',
    ]);
    expect(events.map(({ type }) => type)).toEqual(['error']);
  });

  test('pitfall 22: a response with a finish reason but no end marker is complete', () => {
    const decoder = chatDialect.decodeStream(input());
    decoder.read(Buffer.from(delta({ content: 'a' }) + finish('stop')));
    expect(decoder.complete).toBe(true);
    expect(short(decoder.end())).toEqual(['0.', '=stop']);
  });

  test('tool names that the format does not allow are replaced, and restored in the response', () => {
    const odd = [{ type: 'function' as const, name: 'mcp.server:read' }];
    const [
      {
        function: { name },
      },
    ] = JSON.parse(chatDialect.encode(input({ tools: odd })).body.toString()).tools;
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const events = decode(
      [toolDelta({ index: 0, id: 'c', function: { name, arguments: '{}' } }), finish('tool_calls')],
      { tools: odd },
    );
    expect(events[1]).toMatchObject({ part: { name: 'mcp.server:read' } });
  });
});

test("a chunk without choices, such as Azure's filter results, does not set the id and model", () => {
  const filters = chunk({ id: '', model: '', object: '', choices: [], prompt_filter_results: [] });
  const [start] = decode([filters, delta({ content: 'a' }), finish('stop')]);
  expect(start).toEqual({ type: 'start', id: 'chatcmpl-9', model: 'up-1' });
});

describe('content that is not a string', () => {
  test('content as a list of texts and thinking is read', () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };
    const reference = { type: 'reference', reference_ids: [1] };
    const events = decode([
      delta({ content: [thinking] }),
      delta({ content: [{ type: 'text', text: 'a' }, reference, { type: 'text', text: 'b' }] }),
      delta({ content: 'c' }),
      finish('stop'),
    ]);
    const texts = ['0.', '1+text', '1 a', '1 b', '1 c', '1.', '=stop'];
    expect(short(events)).toEqual(['0+reasoning', '0 Hm.', ...texts]);
  });

  test.each([
    { content: 5 },
    { content: {} },
    { content: [5, null] },
    { content: [{ type: 'text', text: 5 }] },
    { reasoning_content: [{}] },
    { refusal: true },
  ])('content of a wrong type is an error: %j', fields => {
    const events = decode([delta({ content: 'a' }), delta(fields), finish('stop')]);
    expect(short(events)).toEqual(['0+text', '0 a', '!upstream']);
  });
});

test.each([
  'data: {"object":"error","message":"boom","type":"BadRequestError","param":null,"code":400}\n\n',
  'event: error\ndata: {"message":"boom","code":500}\n\n',
])('an error in an older shape is an error event: %j', error => {
  expect(decode([delta({ content: 'a' }), error]).at(-1)).toMatchObject({ type: 'error', message: 'boom' });
});

describe("a call's signature from Google's OpenAI-compatible API", () => {
  const signed = toolDelta({
    index: 0,
    id: 'c',
    function: { name: 'weather', arguments: '{}' },
    extra_content: { google: { thought_signature: 'CoYB' } },
  });
  const signature = { format: 'generate-content', value: 'CoYB' };
  const stream = [delta({ content: 'Hm' }), signed, finish('stop')];

  test("a call's signature comes at its end, and before it if calls cannot hold it", () => {
    const events = decode(stream);
    expect(short(events)).toEqual([
      ...['0+text', '0 Hm', '0.', '1+reasoning', '1.'],
      ...['2+tool-call c weather', '2 {}', '2.', '=tool-calls'],
    ]);
    const ends = events.filter(({ type }) => type === 'part-end');
    expect(ends).toEqual([
      { type: 'part-end', index: 0 },
      { type: 'part-end', index: 1, signature },
      { type: 'part-end', index: 2, signature },
    ]);
  });

  test("a call's signature comes only at its end for a chat client", () => {
    const decoder = chatDialect.decodeStream(input({}, { envelope: envelope('chat') }));
    const events = decoder.read(Buffer.from(stream.join('') + done));
    expect(short(events)).not.toContain('1+reasoning');
    expect(events.filter(({ type }) => type === 'part-end').at(-1)).toMatchObject({ signature });
  });
});
