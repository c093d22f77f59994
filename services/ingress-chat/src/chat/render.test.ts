import {
  AnswerFold,
  type FinishEvent,
  type GenerateAnswer,
  type GenerateEvent,
  noUsage,
  type PartStart,
  type Signature,
} from '@model-gateway/canonical';
import { EventReader } from '@model-gateway/sse';
import { describe, expect, test } from 'vitest';
import { chatRenderer } from './render.ts';

const context = { requestId: 'req_1', created: 1_795_248_000 };
const usage = {
  ...noUsage,
  input: 950,
  cachedInput: 800,
  cacheWrite5m: 30,
  cacheWrite1h: 20,
  output: 70,
  reasoning: 40,
};
const start: GenerateEvent = { type: 'start', id: 'msg_1', model: 'claude-x' };
const finish = (reason: FinishEvent['reason'], more: Partial<FinishEvent> = {}): FinishEvent => ({
  type: 'finish',
  reason,
  raw: reason,
  usage,
  ...more,
});

/** The events of a part. */
function part(index: number, begun: PartStart, texts: string[] = [], signature?: Signature): GenerateEvent[] {
  return [
    { type: 'part-start', index, part: begun },
    ...texts.map((text): GenerateEvent => ({ type: 'part-delta', index, text })),
    { type: 'part-end', index, ...(signature && { signature }) },
  ];
}

const text = (index: number, ...texts: string[]) => part(index, { type: 'text' }, texts);
const tool = (index: number, id: string, ...texts: string[]) =>
  part(index, { type: 'tool-call', id, name: 'weather' }, texts);

const options = { model: 'm', usage: false, legacy: false };

function stream(events: GenerateEvent[], more: Partial<typeof options> = {}): string {
  const write = chatRenderer({ ...options, ...more }).stream(context).add;
  return events.map(write).join('');
}

function chunks(events: GenerateEvent[], more: Partial<typeof options> = {}) {
  const datas = new EventReader().read(Buffer.from(stream(events, more))).map(({ data }) => data);
  expect(datas.pop()).toBe('[DONE]');
  return datas.map(data => JSON.parse(data));
}

const deltas = (events: GenerateEvent[], more: Partial<typeof options> = {}) =>
  chunks(events, more).flatMap(({ choices }) => choices.map((choice: { delta: object }) => choice.delta));

function whole(events: GenerateEvent[], more: Partial<typeof options> = {}) {
  const fold = new AnswerFold();
  const answer = events.map(event => fold.add(event)).at(-1) as GenerateAnswer;
  return JSON.parse(JSON.stringify(chatRenderer({ ...options, ...more }).whole(answer, context)));
}

const role = { role: 'assistant', content: '', refusal: null };

test('a text stream is rendered byte for byte', () => {
  const head =
    '{"id":"chatcmpl-msg_1","object":"chat.completion.chunk","created":1795248000,"model":"claude-x","service_tier":null,"system_fingerprint":"fp_gateway","choices":[';
  const chunk = (delta: string, reason = 'null') =>
    `data: ${head}{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}],"usage":null}\n\n`;
  const counts =
    '{"prompt_tokens":950,"completion_tokens":70,"total_tokens":1020,"prompt_tokens_details":{"cached_tokens":800,"cache_write_tokens":50,"audio_tokens":0,"image_tokens":0},"completion_tokens_details":{"reasoning_tokens":40,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}';
  expect(stream([start, ...text(0, 'Hi "\u2028"'), finish('stop')], { usage: true })).toBe(
    chunk('{"role":"assistant","content":"","refusal":null}') +
      chunk('{"content":"Hi \\"\\u2028\\""}') +
      chunk('{}', '"stop"') +
      `data: ${head}],"usage":${counts}}\n\ndata: [DONE]\n\n`,
  );
});

test('a stream has no usage unless the client requested it', () => {
  expect(stream([start, ...text(0, 'Hi'), finish('stop')])).not.toContain('usage');
});

test('pitfall 3: a complete response has every field and the same usage as the stream', () => {
  const events = [start, ...text(0, 'Hi', '.'), finish('stop')];
  const answer = whole(events);
  expect(answer).toEqual({
    id: 'chatcmpl-msg_1',
    object: 'chat.completion',
    created: 1_795_248_000,
    model: 'claude-x',
    service_tier: null,
    system_fingerprint: 'fp_gateway',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hi.', refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: {
      prompt_tokens: 950,
      completion_tokens: 70,
      total_tokens: 1020,
      prompt_tokens_details: { cached_tokens: 800, cache_write_tokens: 50, audio_tokens: 0, image_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 40,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
  });
  expect(chunks(events, { usage: true }).at(-1)).toMatchObject({ choices: [], usage: answer.usage });
});

test.each([
  ['chatcmpl-9', 'chatcmpl-9'],
  ['msg_1', 'chatcmpl-msg_1'],
  ['', 'chatcmpl-req_1'],
])('the id %s becomes %s', (id, expected) => {
  const events: GenerateEvent[] = [{ type: 'start', id, model: '' }, ...text(0, 'a'), finish('stop')];
  expect(whole(events)).toMatchObject({ id: expected, model: 'm' });
  for (const chunk of chunks(events)) expect(chunk).toMatchObject({ id: expected, model: 'm' });
});

test('unknown token counts are omitted', () => {
  const events = [start, ...text(0, 'a'), finish('stop', { usage: null })];
  expect(whole(events)).not.toHaveProperty('usage');
  expect(chunks(events, { usage: true }).every(({ usage }) => usage === null)).toBe(true);
});

describe('tool calls', () => {
  test('pitfall 7: tool calls are indexed independently of other parts', () => {
    const events = [
      start,
      ...text(0, 'So'),
      ...tool(1, 'a', '{"x":', '1}'),
      ...text(2, 'and'),
      ...tool(3, 'b', '{}'),
      finish('tool-calls'),
    ];
    expect(deltas(events)).toEqual([
      role,
      { content: 'So' },
      { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'weather', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"x":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '1}' } }] },
      { content: 'and' },
      { tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'weather', arguments: '' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
      {},
    ]);
  });

  test('pitfall 8: deltas of parallel calls stay interleaved', () => {
    const begin = (index: number, id: string): GenerateEvent => ({
      type: 'part-start',
      index,
      part: { type: 'tool-call', id, name: 'f' },
    });
    const more = (index: number, value: string): GenerateEvent => ({
      type: 'part-delta',
      index,
      text: value,
    });
    const events = [
      start,
      begin(0, 'a'),
      more(0, '{"x":'),
      begin(1, 'b'),
      more(1, '{}'),
      more(0, '1}'),
      { type: 'part-end', index: 0 } as const,
      { type: 'part-end', index: 1 } as const,
      finish('tool-calls'),
    ];
    const fragments = deltas(events)
      .slice(1, -1)
      .map(({ tool_calls: [fragment] }) => [fragment.index, fragment.function.arguments]);
    expect(fragments).toEqual([
      [0, ''],
      [0, '{"x":'],
      [1, ''],
      [1, '{}'],
      [0, '1}'],
    ]);
    expect(
      whole(events).choices[0].message.tool_calls.map(
        (call: { function: { arguments: string } }) => call.function.arguments,
      ),
    ).toEqual(['{"x":1}', '{}']);
  });

  test('tool calls without arguments have an empty object', () => {
    const events = [start, ...tool(0, 'a'), finish('tool-calls')];
    expect(deltas(events)).toEqual([
      { role: 'assistant', content: null, refusal: null },
      { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'weather', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
      {},
    ]);
    expect(whole(events).choices[0].message).toMatchObject({
      content: null,
      tool_calls: [{ function: { arguments: '{}' } }],
    });
  });

  test('calls of a custom tool have free text', () => {
    const events = [
      start,
      ...part(0, { type: 'tool-call', id: 'a', name: 'sql', custom: true }, ['SELECT 1']),
      finish('tool-calls'),
    ];
    expect(deltas(events).slice(1, 3)).toEqual([
      { tool_calls: [{ index: 0, id: 'a', type: 'custom', custom: { name: 'sql', input: '' } }] },
      { tool_calls: [{ index: 0, custom: { input: 'SELECT 1' } }] },
    ]);
    expect(whole(events).choices[0].message.tool_calls).toEqual([
      { id: 'a', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } },
    ]);
  });

  test('pitfall 4: a signature stays on its call', () => {
    const signature: Signature = { format: 'generate-content', value: 'sig' };
    const events = [
      start,
      ...part(0, { type: 'tool-call', id: 'a', name: 'f' }, ['{}'], signature),
      finish('tool-calls'),
    ];
    const extra_content = { google: { thought_signature: 'sig' } };
    // OpenAI's Python client fails on a tool call delta without `function`.
    expect(deltas(events)[3]).toEqual({
      tool_calls: [{ index: 0, function: { arguments: '' }, extra_content }],
    });
    expect(whole(events).choices[0].message.tool_calls).toEqual([
      { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content },
    ]);
  });

  test('calls have the legacy form for a client that sent functions', () => {
    const events = [start, ...tool(0, 'a', '{"x":1}'), ...tool(1, 'b', '{}'), finish('tool-calls')];
    expect(deltas(events, { legacy: true })).toEqual([
      { role: 'assistant', content: null, refusal: null },
      { function_call: { name: 'weather', arguments: '' } },
      { function_call: { arguments: '{"x":1}' } },
      { tool_calls: [{ index: 0, id: 'b', type: 'function', function: { name: 'weather', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
      {},
    ]);
    expect(whole(events, { legacy: true }).choices[0]).toMatchObject({
      message: { function_call: { name: 'weather', arguments: '{"x":1}' }, tool_calls: [{ id: 'b' }] },
      finish_reason: 'function_call',
    });
  });
});

describe('reasoning', () => {
  const signed: Signature = { format: 'messages', value: 'EqQB' };
  const events = [
    start,
    ...part(0, { type: 'reasoning' }, ['Need ', 'it.'], signed),
    ...part(1, { type: 'reasoning' }, [], { format: 'messages', value: 'EqQC' }),
    ...part(2, { type: 'reasoning', redacted: true }, [], { format: 'messages', value: 'EmwK' }),
    ...part(3, { type: 'reasoning' }, ['gg'], { format: 'generate-content', value: 'sig' }),
    ...text(4, 'Hi'),
    finish('stop'),
  ];
  const blocks = [
    { type: 'thinking', thinking: 'Need it.', signature: 'EqQB' },
    { type: 'thinking', thinking: '', signature: 'EqQC' },
    { type: 'redacted_thinking', data: 'EmwK' },
    { type: 'thinking', thinking: 'gg', signature: 'gg:sig' },
  ];

  test('pitfall 18: reasoning is text to display and signed blocks to send back', () => {
    expect(whole(events).choices[0].message).toMatchObject({
      content: 'Hi',
      reasoning_content: 'Need it.gg',
      thinking_blocks: blocks,
    });
    const written = deltas(events);
    expect(written.slice(0, 4)).toEqual([
      role,
      { reasoning_content: 'Need ' },
      { reasoning_content: 'it.' },
      { thinking_blocks: [blocks[0]] },
    ]);
    expect(written.flatMap(delta => delta.thinking_blocks ?? [])).toEqual(blocks);
  });

  test('unsigned reasoning has no blocks', () => {
    const unsigned = [start, ...part(0, { type: 'reasoning' }, ['Hm']), ...text(1, 'Hi'), finish('stop')];
    expect(whole(unsigned).choices[0].message).not.toHaveProperty('thinking_blocks');
    expect(deltas(unsigned)).toEqual([role, { reasoning_content: 'Hm' }, { content: 'Hi' }, {}]);
  });
});

test('an image goes into the images field that several gateways use', () => {
  const events = [
    start,
    ...part(0, {
      type: 'media',
      kind: 'image',
      mediaType: 'image/png',
      source: { type: 'base64', data: 'iVBO' },
    }),
    finish('stop'),
  ];
  const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }];
  expect(whole(events).choices[0].message.images).toEqual(images);
  expect(deltas(events)).toEqual([role, { images }, {}]);
});

describe('the finish reason', () => {
  const calls = tool(0, 'a', '{}');
  const refused = part(0, { type: 'refusal' }, ['No.']);
  test.each<[string, GenerateEvent[], FinishEvent, string, string | null]>([
    ['stop', text(0, 'a'), finish('stop'), 'stop', null],
    ['a stop sequence', text(0, 'a'), finish('stop-sequence', { stopSequence: 'END' }), 'stop', null],
    ['length', text(0, 'a'), finish('length'), 'length', null],
    ['a content filter', text(0, 'a'), finish('content-filter'), 'content_filter', null],
    ['a pause', text(0, 'a'), finish('pause'), 'length', null],
    ['any other reason', text(0, 'a'), finish('other'), 'stop', null],
    ['pitfall 9: calls, although the upstream reported stop', calls, finish('stop'), 'tool_calls', null],
    ['pitfall 10: length, although there are calls', calls, finish('length'), 'length', null],
    [
      'pitfall 10: a content filter, although there are calls',
      calls,
      finish('content-filter'),
      'content_filter',
      null,
    ],
    ['a refusal in text', text(0, 'a'), finish('refusal'), 'content_filter', null],
    [
      'a refusal with an explanation',
      text(0, 'a'),
      finish('refusal', { explanation: 'policy' }),
      'content_filter',
      'policy',
    ],
    ['a refusal part', refused, finish('refusal', { explanation: 'policy' }), 'stop', 'No.'],
    ['a blocked prompt', [], finish('content-filter', { explanation: 'SAFETY' }), 'content_filter', 'SAFETY'],
  ])('the finish reason of %s is rendered', (_what, parts, end, reason, refusal) => {
    const events = [start, ...parts, end];
    const [choice] = whole(events).choices;
    expect(choice).toMatchObject({ finish_reason: reason, message: { refusal } });
    const written = chunks(events);
    expect(written.at(-1).choices[0]).toMatchObject({ delta: {}, finish_reason: reason });
    expect(written[0].choices[0].delta.role).toBe('assistant');
    expect(
      deltas(events)
        .map(delta => delta.refusal ?? '')
        .join('') || null,
    ).toBe(refusal);
  });

  test('an empty response is a valid response', () => {
    expect(whole([start, finish('length')]).choices[0].message.content).toBe('');
    expect(deltas([start, finish('length')])).toEqual([role, {}]);
  });
});
