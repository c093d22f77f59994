import {
  type FinishEvent,
  type GenerateEvent,
  noUsage,
  type PartStart,
  type Signature,
} from '@model-gateway/canonical';
import { finish as finishOf, folded, partEvents } from '@model-gateway/canonical/testing/events';
import { png, signed } from '@model-gateway/canonical/testing/parts';
import { EventReader } from '@model-gateway/sse';
import { describe, expect, test } from 'vitest';
import { chatRenderer } from './render.ts';

const context = { requestId: 'req_1', created: 1_795_248_000 };
const counts = {
  input: 950,
  cachedInput: 800,
  cacheWrite5m: 30,
  cacheWrite1h: 20,
  output: 70,
  reasoning: 40,
};
const finish = (reason: FinishEvent['reason'] = 'stop', more: Partial<FinishEvent> = {}) =>
  finishOf(reason, { usage: { ...noUsage, ...counts }, ...more });
const start: GenerateEvent = { type: 'start', id: 'msg_1', model: 'claude-x' };
const text = (index: number, ...texts: string[]) => partEvents(index, { type: 'text' }, texts);
const tool = (index: number, id: string, ...texts: string[]) =>
  partEvents(index, { type: 'tool-call', id, name: 'f' }, texts);

const options = { model: 'm', usage: false, legacy: false };
type Options = Partial<typeof options>;

const stream = (events: GenerateEvent[], more: Options = {}) =>
  events.map(chatRenderer({ ...options, ...more }).stream(context).add).join('');

function chunks(events: GenerateEvent[], more: Options = {}) {
  const datas = new EventReader().read(Buffer.from(stream(events, more))).map(({ data }) => data);
  expect(datas.pop()).toBe('[DONE]');
  return datas.map(data => JSON.parse(data));
}
const deltas = (events: GenerateEvent[], more: Options = {}) =>
  chunks(events, more).flatMap(({ choices }) => choices.map((choice: { delta: object }) => choice.delta));
const whole = (events: GenerateEvent[], more: Options = {}) =>
  JSON.parse(JSON.stringify(chatRenderer({ ...options, ...more }).whole(folded(events), context)));
const messageOf = (events: GenerateEvent[]) => whole(events).choices[0].message;

const role = { role: 'assistant', content: '', refusal: null };
/** The beginning of a call in a stream, and a piece of its arguments. */
const opens = (index: number, id: string) => ({
  ...{ tool_calls: [{ index, id, type: 'function', function: { name: 'f', arguments: '' } }] },
});
const goesOn = (index: number, args: string) => ({ tool_calls: [{ index, function: { arguments: args } }] });

test('a text stream is rendered byte for byte', () => {
  const head =
    '{"id":"chatcmpl-msg_1","object":"chat.completion.chunk","created":1795248000,"model":"claude-x","service_tier":null,"system_fingerprint":"fp_gateway","choices":[';
  const chunk = (delta: string, reason = 'null') =>
    `data: ${head}{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}],"usage":null}\n\n`;
  const counts =
    '{"prompt_tokens":950,"completion_tokens":70,"total_tokens":1020,"prompt_tokens_details":{"cached_tokens":800,"cache_write_tokens":50,"audio_tokens":0,"image_tokens":0},"completion_tokens_details":{"reasoning_tokens":40,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}';
  const events = [start, ...text(0, 'Hi "\u2028"'), finish()];
  expect(stream(events, { usage: true })).toBe(
    chunk('{"role":"assistant","content":"","refusal":null}') +
      chunk('{"content":"Hi \\"\\u2028\\""}') +
      chunk('{}', '"stop"') +
      `data: ${head}],"usage":${counts}}\n\ndata: [DONE]\n\n`,
  );
  expect(stream(events)).not.toContain('usage');
});

test('pitfall 3: a complete response has every field and the same usage as the stream', () => {
  const events = [start, ...text(0, 'Hi', '.'), finish()];
  const answer = whole(events);
  const message = { role: 'assistant', content: 'Hi.', refusal: null, annotations: [] };
  expect(answer).toEqual({
    ...{ id: 'chatcmpl-msg_1', object: 'chat.completion', created: 1_795_248_000, model: 'claude-x' },
    ...{ service_tier: null, system_fingerprint: 'fp_gateway' },
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage: expect.objectContaining({ prompt_tokens: 950, completion_tokens: 70, total_tokens: 1020 }),
  });
  expect(chunks(events, { usage: true }).at(-1)).toMatchObject({ choices: [], usage: answer.usage });
});

test.each([
  ['chatcmpl-9', 'chatcmpl-9'],
  ['msg_1', 'chatcmpl-msg_1'],
  ['', 'chatcmpl-req_1'],
])('the id %s becomes %s', (id, expected) => {
  const events: GenerateEvent[] = [{ type: 'start', id, model: '' }, ...text(0, 'a'), finish()];
  for (const written of [whole(events), ...chunks(events)])
    expect(written).toMatchObject({ id: expected, model: 'm' });
});

test('unknown token counts are omitted', () => {
  const events = [start, ...text(0, 'a'), finish('stop', { usage: null })];
  expect(whole(events)).not.toHaveProperty('usage');
  expect(chunks(events, { usage: true }).every(({ usage }) => usage === null)).toBe(true);
});

describe('tool calls', () => {
  test('pitfall 7: tool calls are indexed independently of other parts', () => {
    const calls = [...tool(1, 'a', '{"x":', '1}'), ...text(2, 'and'), ...tool(3, 'b', '{}')];
    expect(deltas([start, ...text(0, 'So'), ...calls, finish('tool-calls')])).toEqual([
      ...[role, { content: 'So' }, opens(0, 'a'), goesOn(0, '{"x":'), goesOn(0, '1}')],
      ...[{ content: 'and' }, opens(1, 'b'), goesOn(1, '{}'), {}],
    ]);
  });

  test('pitfall 8: deltas of parallel calls stay interleaved', () => {
    const [a, a1, a2, aEnd] = tool(0, 'a', '{"x":', '1}') as [GenerateEvent, ...GenerateEvent[]];
    const [b, b1, bEnd] = tool(1, 'b', '{}') as [GenerateEvent, ...GenerateEvent[]];
    const events = [start, a, a1, b, b1, a2, aEnd, bEnd, finish('tool-calls')] as GenerateEvent[];
    expect(deltas(events).slice(1, -1)).toEqual([
      ...[opens(0, 'a'), goesOn(0, '{"x":'), opens(1, 'b'), goesOn(1, '{}'), goesOn(0, '1}')],
    ]);
    const calls = messageOf(events).tool_calls;
    expect(calls).toMatchObject([{ function: { arguments: '{"x":1}' } }, { function: { arguments: '{}' } }]);
  });

  test('tool calls without arguments have an empty object', () => {
    const events = [start, ...tool(0, 'a'), finish('tool-calls')];
    expect(deltas(events)).toEqual([{ ...role, content: null }, opens(0, 'a'), goesOn(0, '{}'), {}]);
    const tool_calls = [{ function: { arguments: '{}' } }];
    expect(messageOf(events)).toMatchObject({ content: null, tool_calls });
  });

  test('calls of a custom tool have free text', () => {
    const sql: PartStart = { type: 'tool-call', id: 'a', name: 'sql', custom: true };
    const events = [start, ...partEvents(0, sql, ['SELECT 1']), finish('tool-calls')];
    const call = (input: string) => ({ id: 'a', type: 'custom', custom: { name: 'sql', input } });
    expect(deltas(events).slice(1, 3)).toEqual([
      { tool_calls: [{ index: 0, ...call('') }] },
      { tool_calls: [{ index: 0, custom: { input: 'SELECT 1' } }] },
    ]);
    expect(messageOf(events).tool_calls).toEqual([call('SELECT 1')]);
  });

  test('pitfall 4: a signature stays on its call', () => {
    const call = partEvents(
      0,
      { type: 'tool-call', id: 'a', name: 'f' },
      ['{}'],
      signed('sig', 'generate-content'),
    );
    const events = [start, ...call, finish('tool-calls')];
    const extra_content = { google: { thought_signature: 'sig' } };
    // OpenAI's Python client fails on a tool call delta without `function`.
    const tool_calls = [{ index: 0, function: { arguments: '' }, extra_content }];
    expect(deltas(events)[3]).toEqual({ tool_calls });
    expect(messageOf(events).tool_calls).toEqual([
      { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content },
    ]);
  });

  test('calls have the legacy form for a client that sent functions', () => {
    const events = [start, ...tool(0, 'a', '{"x":1}'), ...tool(1, 'b', '{}'), finish('tool-calls')];
    expect(deltas(events, { legacy: true })).toEqual([
      { ...role, content: null },
      ...[{ function_call: { name: 'f', arguments: '' } }, { function_call: { arguments: '{"x":1}' } }],
      ...[opens(0, 'b'), goesOn(0, '{}'), {}],
    ]);
    expect(whole(events, { legacy: true }).choices[0]).toMatchObject({
      message: { function_call: { name: 'f', arguments: '{"x":1}' }, tool_calls: [{ id: 'b' }] },
      finish_reason: 'function_call',
    });
  });
});

test('pitfall 18: reasoning is text to display and signed blocks to send back', () => {
  const thought = (index: number, texts: string[], value: string, format: Signature['format'] = 'messages') =>
    partEvents(index, { type: 'reasoning' }, texts, signed(value, format));
  const redacted = partEvents(2, { type: 'reasoning', redacted: true }, [], signed('EmwK'));
  const thoughts = [...thought(0, ['Need ', 'it.'], 'EqQB'), ...thought(1, [], 'EqQC'), ...redacted];
  const others = [...thought(3, ['gg'], 'sig', 'generate-content'), ...text(4, 'Hi')];
  const events = [start, ...thoughts, ...others, finish()];
  const blocks = [
    { type: 'thinking', thinking: 'Need it.', signature: 'EqQB' },
    { type: 'thinking', thinking: '', signature: 'EqQC' },
    { type: 'redacted_thinking', data: 'EmwK' },
    { type: 'thinking', thinking: 'gg', signature: 'gg:sig' },
  ];
  const said = { content: 'Hi', reasoning_content: 'Need it.gg', thinking_blocks: blocks };
  expect(messageOf(events)).toMatchObject(said);
  const written = deltas(events);
  const begin = [role, { reasoning_content: 'Need ' }, { reasoning_content: 'it.' }];
  expect(written.slice(0, 4)).toEqual([...begin, { thinking_blocks: [blocks[0]] }]);
  expect(written.flatMap(delta => delta.thinking_blocks ?? [])).toEqual(blocks);
});

test('unsigned reasoning has no blocks', () => {
  const events = [start, ...partEvents(0, { type: 'reasoning' }, ['Hm']), ...text(1, 'Hi'), finish()];
  expect(messageOf(events)).not.toHaveProperty('thinking_blocks');
  expect(deltas(events)).toEqual([role, { reasoning_content: 'Hm' }, { content: 'Hi' }, {}]);
});

test('an image goes into the images field that several gateways use', () => {
  const events = [start, ...partEvents(0, png), finish()];
  const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }];
  expect(messageOf(events).images).toEqual(images);
  expect(deltas(events)).toEqual([role, { images }, {}]);
});

describe('the finish reason', () => {
  const a = text(0, 'a');
  const calls = tool(0, 'a', '{}');
  const refused = partEvents(0, { type: 'refusal' }, ['No.']);
  const why = (explanation: string) => ({ explanation });
  test.each<[string, GenerateEvent[], FinishEvent, string, string | null]>([
    ['stop', a, finish(), 'stop', null],
    ['a stop sequence', a, finish('stop-sequence', { stopSequence: 'END' }), 'stop', null],
    ['length', a, finish('length'), 'length', null],
    ['a content filter', a, finish('content-filter'), 'content_filter', null],
    ['a pause', a, finish('pause'), 'length', null],
    ['any other reason', a, finish('other'), 'length', null],
    ['any other reason, although there are calls', calls, finish('other'), 'length', null],
    ['pitfall 9: calls, although the upstream reported stop', calls, finish(), 'tool_calls', null],
    ['pitfall 10: length, although there are calls', calls, finish('length'), 'length', null],
    [
      'pitfall 10: a filter, although there are calls',
      calls,
      finish('content-filter'),
      'content_filter',
      null,
    ],
    ['a refusal in text', a, finish('refusal'), 'content_filter', null],
    ['an explained refusal', a, finish('refusal', why('policy')), 'content_filter', 'policy'],
    ['a refusal part', refused, finish('refusal', why('policy')), 'stop', 'No.'],
    ['a blocked prompt', [], finish('content-filter', why('SAFETY')), 'content_filter', 'SAFETY'],
  ])('the finish reason of %s is rendered', (_what, parts, end, reason, refusal) => {
    const events = [start, ...parts, end];
    expect(whole(events).choices[0]).toMatchObject({ finish_reason: reason, message: { refusal } });
    const written = chunks(events);
    expect(written.at(-1).choices[0]).toMatchObject({ delta: {}, finish_reason: reason });
    expect(written[0].choices[0].delta.role).toBe('assistant');
    const told = deltas(events).map(delta => delta.refusal ?? '');
    expect(told.join('') || null).toBe(refusal);
  });

  test('an empty response is a valid response', () => {
    expect(messageOf([start, finish('length')]).content).toBe('');
    expect(deltas([start, finish('length')])).toEqual([role, {}]);
  });
});

describe('several choices', () => {
  const b = { url: 'https://b.example', title: 'B', start: 1, end: 2 };
  const citations = [{ url: 'https://a.example', title: 'A' }, b];
  const [begins, says, ends] = text(0, 'one').map(event => ({ ...event, choice: 1 })) as GenerateEvent[];
  const [first, ...well] = text(0, 'Well. ') as [GenerateEvent, ...GenerateEvent[]];
  const [, ...zero] = partEvents(1, { type: 'text' }, ['zero'], { citations });
  const events = [
    ...[start, first, begins, says, ...well, ...text(1).slice(0, 1), ...zero, ends],
    ...[{ type: 'choice-end', choice: 1, reason: 'length', raw: 'max_tokens' }, finish()],
  ] as GenerateEvent[];
  const cites = (url: string, title: string, start_index: number, end_index: number) => ({
    ...{ type: 'url_citation', url_citation: { url, title, start_index, end_index } },
  });
  const annotations = [cites('https://a.example', 'A', 6, 10), cites('https://b.example', 'B', 7, 8)];

  test('a complete response has every choice, with citations at their positions in the message', () => {
    expect(whole(events)).toMatchObject({
      choices: [
        { index: 0, message: { content: 'Well. zero', annotations }, finish_reason: 'stop' },
        { index: 1, message: { content: 'one', annotations: [] }, finish_reason: 'length' },
      ],
    });
  });

  test('a stream interleaves choices, each with its role and finish reason', () => {
    const seen = chunks(events).map(({ choices: [{ index, delta, finish_reason: end }] }) => [
      ...[index, delta.content ?? end ?? delta],
    ]);
    expect(seen).toEqual([
      ...[
        [0, ''],
        [1, ''],
        [1, 'one'],
        [0, 'Well. '],
        [0, 'zero'],
      ],
      ...[
        [0, { annotations }],
        [1, 'length'],
        [0, 'stop'],
      ],
    ]);
  });
});
