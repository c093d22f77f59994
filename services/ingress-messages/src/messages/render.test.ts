import { AnswerFold, type FinishEvent, type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { readFrames, readMessage } from '@model-gateway/wire/testing/message-reader';
import { describe, expect, test } from 'vitest';
import { messagesRenderer } from './render.ts';

const context = { requestId: 'req_ab', created: 0 };
const begin: GenerateEvent = { type: 'start', id: 'chatcmpl-1', model: 'up' };
const usage = {
  ...noUsage,
  input: 950,
  cachedInput: 800,
  cacheWrite5m: 30,
  cacheWrite1h: 20,
  output: 70,
  reasoning: 40,
};
const finish: FinishEvent = { type: 'finish', reason: 'stop', raw: 'stop', usage };

const partStart = (index: number, part: object) => ({ type: 'part-start', index, part }) as GenerateEvent;
const delta = (index: number, text: string): GenerateEvent => ({ type: 'part-delta', index, text });
const end = (index: number, value?: string): GenerateEvent => ({
  type: 'part-end',
  index,
  ...(value && { signature: { format: 'messages', value } }),
});
const call = (index: number, id = `c${index}`) => partStart(index, { type: 'tool-call', id, name: 'f' });
const part = (index: number, type: string, ...texts: string[]) => [
  partStart(index, { type }),
  ...texts.map(text => delta(index, text)),
  end(index),
];

function whole(...events: GenerateEvent[]) {
  const fold = new AnswerFold();
  const answers = events.flatMap(event => fold.add(event) ?? []);
  return JSON.parse(JSON.stringify(messagesRenderer({ model: 'm' }).whole(answers[0] as never, context)));
}

/** The output of each event. */
function pieces(...events: GenerateEvent[]): string[] {
  return events.map(messagesRenderer({ model: 'm' }).stream(context).add);
}

/** Summarizes a stream: `start 0 text`, `text "b"`, `stop 0`. */
function steps(stream: string): string[] {
  return readFrames(stream).map(({ type, index, content_block: block, delta: fields }) => {
    switch (type) {
      case 'content_block_start':
        return `start ${index} ${block?.type}${block?.id ? ` ${block.id}` : ''}`;
      case 'content_block_delta': {
        const [kind, text] = Object.values(fields ?? {});
        return `${kind} ${index} ${text}`;
      }
      case 'content_block_stop':
        return `stop ${index}`;
      default:
        return type;
    }
  });
}

describe('a complete response', () => {
  test('a complete response has every field of the format', () => {
    expect(whole(begin, ...part(0, 'text', 'Hi', '.'), finish)).toEqual({
      id: 'msg_ab',
      type: 'message',
      role: 'assistant',
      model: 'up',
      content: [{ type: 'text', text: 'Hi.', citations: null }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: {
        input_tokens: 100,
        cache_creation_input_tokens: 50,
        cache_read_input_tokens: 800,
        cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 20 },
        output_tokens: 70,
        output_tokens_details: { thinking_tokens: 40 },
        server_tool_use: null,
        service_tier: null,
        inference_geo: null,
        speed: null,
      },
    });
  });

  test('usage has all four counters without usage of the upstream, and none is negative', () => {
    expect(whole(begin, { ...finish, usage: null }).usage).toMatchObject({
      input_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 0,
    });
    expect(whole(begin, { ...finish, usage: { ...usage, input: 1 } }).usage.input_tokens).toBe(0);
  });

  test('a message id of the same format is kept', () => {
    expect(whole({ ...begin, id: 'msg_7' }, finish).id).toBe('msg_7');
  });

  test.each<[string, GenerateEvent[], object[]]>([
    ['an empty text', part(0, 'text', ''), []],
    [
      'thinking',
      [partStart(0, { type: 'reasoning' }), delta(0, 'a'), end(0, 'EqQB')],
      [{ type: 'thinking', thinking: 'a', signature: 'EqQB' }],
    ],
    ['unsigned thinking', part(0, 'reasoning', 'a'), [{ type: 'thinking', thinking: 'a', signature: '' }]],
    [
      'thinking without text',
      [partStart(0, { type: 'reasoning' }), end(0, 'EqQB')],
      [{ type: 'thinking', thinking: '', signature: 'EqQB' }],
    ],
    ['thinking without text and signature', part(0, 'reasoning'), []],
    [
      'redacted thinking',
      [partStart(0, { type: 'reasoning', redacted: true }), end(0, 'EmwK')],
      [{ type: 'redacted_thinking', data: 'EmwK' }],
    ],
    [
      'a refusal, as text',
      part(0, 'refusal', 'I cannot.'),
      [{ type: 'text', text: 'I cannot.', citations: null }],
    ],
    [
      'a block of the same format',
      [partStart(0, { type: 'opaque', format: 'messages', value: { type: 'server_tool_use', id: 's' } })],
      [{ type: 'server_tool_use', id: 's' }],
    ],
    [
      'an opaque part of another vendor',
      [partStart(0, { type: 'opaque', format: 'generate-content', value: { executableCode: {} } })],
      [],
    ],
    [
      'an image, as a link',
      [
        partStart(0, {
          type: 'media',
          kind: 'image',
          source: { type: 'base64', data: 'aa' },
          mediaType: 'image/png',
        }),
      ],
      [{ type: 'text', text: '![image](data:image/png;base64,aa)', citations: null }],
    ],
  ])('%s: rendered whole and streamed', (_what, events, content) => {
    expect(whole(begin, ...events, finish).content).toEqual(content);
    expect(readMessage(pieces(begin, ...events, finish).join('')).content).toEqual(content);
  });

  test.each([
    ['', {}],
    ['  ', {}],
    ['null', {}],
    ['{}', {}],
    ['{"a":{"b":[1]}}', { a: { b: [1] } }],
    ['{"a":', { _raw: '{"a":' }],
    ['[1]', { value: [1] }],
    ['"x"', { value: 'x' }],
    ['5', { value: 5 }],
    ['false', { value: false }],
  ])('a call with the arguments %j has an object as input', (text, input) => {
    expect(whole(begin, call(0), delta(0, text), end(0), finish).content).toEqual([
      { type: 'tool_use', id: 'c0', name: 'f', input, caller: { type: 'direct' } },
    ]);
  });

  test('a call without an id gets one', () => {
    const [block] = whole(begin, call(0, ''), finish).content;
    expect(block.id).toMatch(/^toolu_[\w-]+$/);
    expect(readMessage(pieces(begin, call(0, ''), finish).join('')).content[0]?.id).toBe(block.id);
  });
});

describe('the stop reason', () => {
  const stops: [string, Partial<FinishEvent>, object][] = [
    ['stop', {}, { stop_reason: 'end_turn' }],
    [
      'stop-sequence',
      { raw: 'stop_sequence', stopSequence: 'END' },
      { stop_reason: 'stop_sequence', stop_sequence: 'END' },
    ],
    ['stop-sequence', { raw: 'stop' }, { stop_reason: 'end_turn', stop_sequence: null }],
    ['length', { raw: 'length' }, { stop_reason: 'max_tokens' }],
    ['length', { raw: 'model_context_window_exceeded' }, { stop_reason: 'model_context_window_exceeded' }],
    ['tool-calls', {}, { stop_reason: 'tool_use' }],
    ['pause', {}, { stop_reason: 'pause_turn' }],
    ['other', { raw: 'compaction' }, { stop_reason: 'compaction' }],
    ['other', { raw: 'OTHER' }, { stop_reason: 'end_turn' }],
    [
      'content-filter',
      { raw: 'content_filter' },
      { stop_reason: 'refusal', stop_details: { type: 'refusal', category: null, explanation: null } },
    ],
    [
      'refusal',
      { explanation: 'no' },
      { stop_reason: 'refusal', stop_details: { type: 'refusal', category: null, explanation: 'no' } },
    ],
  ];
  test.each(stops)('the finish reason %s with %j is mapped', (reason, fields, expected) => {
    const events: GenerateEvent[] = [
      begin,
      { ...finish, reason: reason as FinishEvent['reason'], ...fields },
    ];
    expect(whole(...events)).toMatchObject(expected);
    expect(readMessage(pieces(...events).join(''))).toMatchObject(expected);
  });

  test('the stop reason is refusal if the model refused and stopped', () => {
    const events = [begin, ...part(0, 'refusal', 'I cannot.'), finish];
    const expected = {
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: null, explanation: 'I cannot.' },
    };
    expect(whole(...events)).toMatchObject(expected);
    expect(readMessage(pieces(...events).join(''))).toMatchObject(expected);
  });
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
        '',
        '',
      ].join('\n'),
    );
  });

  test('interleaved calls have one open block at a time, and the second waits', () => {
    const events: [GenerateEvent, string[]][] = [
      [begin, ['message_start']],
      [partStart(0, { type: 'reasoning' }), []],
      [delta(0, 'a'), ['start 0 thinking', 'thinking_delta 0 a']],
      [end(0), ['stop 0']],
      [partStart(1, { type: 'text' }), []],
      [delta(1, 'b'), ['start 1 text', 'text_delta 1 b']],
      [end(1), ['stop 1']],
      [call(2, 'c0'), ['start 2 tool_use c0']],
      [delta(2, '{"x":'), ['input_json_delta 2 {"x":']],
      [call(3, 'c1'), []],
      [delta(3, '{}'), []],
      [delta(2, '1}'), ['input_json_delta 2 1}']],
      [end(2), ['stop 2', 'start 3 tool_use c1', 'input_json_delta 3 {}']],
      [end(3), ['stop 3']],
      [{ ...finish, reason: 'tool-calls' }, ['message_delta', 'message_stop']],
    ];
    const written = pieces(...events.map(([event]) => event));
    expect(written.map(steps)).toEqual(events.map(([, expected]) => expected));
    expect(readMessage(written.join(''))).toMatchObject({
      stop_reason: 'tool_use',
      content: [{}, {}, { input: { x: 1 } }, { input: {} }],
    });
  });

  test('a call is streamed as soon as the call before it is complete', () => {
    const written = pieces(
      begin,
      call(0),
      delta(0, '{"x":1}'),
      call(1),
      delta(1, '{"y"'),
      call(2),
      delta(1, ':2}'),
    );
    expect(written.map(steps).slice(1)).toEqual([
      ['start 0 tool_use c0'],
      ['input_json_delta 0 {"x":1}'],
      ['stop 0', 'start 1 tool_use c1'],
      ['input_json_delta 1 {"y"'],
      [],
      ['input_json_delta 1 :2}'],
    ]);
  });

  test('a stream keeps late deltas of an earlier call and ends open blocks', () => {
    const stream = pieces(
      begin,
      call(0),
      call(1),
      call(2),
      delta(2, '{"z":'),
      delta(1, '{"y":2}'),
      delta(0, '{"x":1'),
      delta(2, '3}'),
      delta(0, '}'),
      finish,
    ).join('');
    expect(readMessage(stream).content.map(block => block.input)).toEqual([{ x: 1 }, { y: 2 }, { z: 3 }]);
  });

  test.each([
    ['[1,2', ',3]', { value: [1, 2, 3] }],
    ['"te', 'xt"', { value: 'text' }],
    ['9007199254740993', '', { value: 9007199254740993n }],
    ['nu', 'll', {}],
    [' ', '\n', {}],
    ['oops', '!', { _raw: 'oops!' }],
  ])(
    'the arguments %s%s, which are not an object, are wrapped as in a complete response',
    (first, second, input) => {
      const events = [begin, call(0), delta(0, first), delta(0, second), end(0), finish];
      const text = JSON.stringify(input, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
      const json = text.replace(/"(\d+)n"/, '$1');
      expect(steps(pieces(...events).join('')).slice(1, -2)).toEqual([
        'start 0 tool_use c0',
        `input_json_delta 0 ${json}`,
        'stop 0',
      ]);
      expect(whole(...events).content[0].input).toEqual(JSON.parse(json));
    },
  );

  test('a call is streamed after a call whose arguments are not an object', () => {
    const events = [begin, call(0), delta(0, '[1]'), end(0), call(1), delta(1, '{"b":1}'), end(1), finish];
    expect(readMessage(pieces(...events).join('')).content.map(block => block.input)).toEqual([
      { value: [1] },
      { b: 1 },
    ]);
  });

  test('a call without deltas has an empty object, and invalid arguments are kept', () => {
    expect(steps(pieces(begin, call(0), end(0), call(1), delta(1, '{"a'), end(1), finish).join(''))).toEqual([
      'message_start',
      'start 0 tool_use c0',
      'input_json_delta 0 {}',
      'stop 0',
      'start 1 tool_use c1',
      'input_json_delta 1 {"a',
      'stop 1',
      'message_delta',
      'message_stop',
    ]);
  });

  test('a signature is sent just before its block stops, even without thinking text', () => {
    const events = [
      partStart(0, { type: 'reasoning' }),
      delta(0, 'a'),
      end(0, 'S'),
      partStart(1, { type: 'reasoning' }),
      end(1, 'T'),
    ];
    expect(steps(pieces(begin, ...events).join('')).slice(1)).toEqual([
      'start 0 thinking',
      'thinking_delta 0 a',
      'signature_delta 0 S',
      'stop 0',
      'start 1 thinking',
      'signature_delta 1 T',
      'stop 1',
    ]);
  });

  test('a signature of another vendor gets a tag', () => {
    const signature = { format: 'generate-content' as const, value: 'Q2lR' };
    const events: GenerateEvent[] = [
      partStart(0, { type: 'reasoning' }),
      { type: 'part-end', index: 0, signature },
    ];
    expect(steps(pieces(begin, ...events).join(''))).toContain('signature_delta 0 gg:Q2lR');
  });

  test('an empty text opens no block and uses no index', () => {
    const events = [...part(0, 'text', ''), ...part(1, 'reasoning'), ...part(2, 'text', 'x')];
    expect(steps(pieces(begin, ...events).join(''))).toEqual([
      'message_start',
      'start 0 text',
      'text_delta 0 x',
      'stop 0',
    ]);
  });

  test('the model has the name of the request if the upstream sends none', () => {
    expect(readMessage(pieces({ ...begin, model: '' }, finish).join('')).model).toBe('m');
    expect(readMessage(pieces(finish).join('')).model).toBe('m');
    expect(whole({ ...begin, model: '' }, finish).model).toBe('m');
    expect(whole(begin, finish).model).toBe('up');
  });

  test('a stream begins exactly once, even without a start event', () => {
    expect(steps(pieces(begin, begin, finish).join(''))).toEqual([
      'message_start',
      'message_delta',
      'message_stop',
    ]);
    expect(steps(pieces(finish).join(''))).toEqual(['message_start', 'message_delta', 'message_stop']);
  });

  test('a stream reports the usage of its start if its end has none', () => {
    const stream = pieces({ ...begin, usage }, { ...finish, usage: null }).join('');
    expect(readMessage(stream).usage).toMatchObject({ input_tokens: 100, output_tokens: 70 });
  });
});
