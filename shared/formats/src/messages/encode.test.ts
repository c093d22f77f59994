import type { GenerateRequest, Reasoning, ToolResultPart } from '@model-gateway/canonical';
import { call, failed, opaque, result, says, tells, user } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import type { AskedFields } from '../testing/encode-input.ts';
import { testFixtures, unusual } from '../testing/fixtures.ts';
import { body, budgetModel, hi, input, messages, refused, tool } from '../testing/messages-request.ts';
import { encode, type ThinkingContext, thinking } from './encode.ts';
import { toolsByName } from './encode-tools.ts';
import { modelTraits } from './models.ts';

testFixtures(import.meta.dirname, 'encode', ({ facts: { format, ...more } = {}, ...request }: AskedFields) =>
  unusual(body(request, more, format), body({})),
);

type Fields = Partial<GenerateRequest>;

describe("a client's JSON", () => {
  const text = Buffer.from('{"model":"x", "seed": 12345678901234567890,"messages":[],"speed":"fast"}');

  test('a request is sent unchanged except for the model and the dropped fields', () => {
    const { path, body, headers } = encode(input({ text, drop: ['speed'] }, { format: 'messages' }));
    expect(path).toBe('/v1/messages');
    expect(body.toString()).toBe(`{"model":"${budgetModel}","seed": 12345678901234567890,"messages":[]}`);
    expect(headers).toEqual({ 'anthropic-version': '2023-06-01' });
  });

  test('a request keeps its version and beta headers; a token count has its own path', () => {
    const told = { 'anthropic-version': '2026-10-21', 'anthropic-beta': 'a,b' };
    const sent = encode(input({ text }, { headers: { ...told, other: 'x' }, operation: 'count-tokens' }));
    expect(sent).toMatchObject({ headers: told, path: '/v1/messages/count_tokens' });
    expect(sent.headers).toEqual(told);
  });
});

describe("a client's JSON for models that refuse calls without thinking", () => {
  const use = { type: 'tool_use', id: 't', name: 'f', input: {} };
  const thought = { type: 'thinking', thinking: 'Hm', signature: 's' };
  const write = (content: object[], model: string, fields: object = {}) => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] },
    ];
    const text = Buffer.from(JSON.stringify({ model, messages, ...fields }));
    const sent = encode(input({ text, model }, { format: 'messages' })).body.toString();
    return { unchanged: sent === text.toString(), thinking: JSON.parse(sent).thinking };
  };
  const disabled = { unchanged: false, thinking: { type: 'disabled' } };
  const enabled = { thinking: { type: 'enabled', budget_tokens: 2048 } };

  test.each(['deepseek-v4-pro', 'kimi-k2.6'])(
    '%s does not think if its calls have lost their thinking',
    model => {
      expect(write([use], model)).toEqual(disabled);
      expect(write([use], model, enabled)).toEqual(disabled);
      expect(write([thought, use], model)).toEqual({ unchanged: true, thinking: undefined });
      expect(write([thought, use], model, enabled)).toEqual({ unchanged: true, ...enabled });
    },
  );

  test.each(['claude-opus-4-8', 'glm-5'])('%s gets what the client wrote', model => {
    expect(write([use], model, enabled)).toEqual({ unchanged: true, ...enabled });
  });
});

describe('a model that a cloud hosts', () => {
  const text = Buffer.from('{"model":"x","stream":true,"max_tokens":12345678901234567890,"messages":[]}');
  const differences = { bodyVersion: 'cloud-1', inUrl: ['model', 'stream'], betas: 'body' } as const;
  const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a, b' };

  test('a request has the version and betas in its body, and what the URL says nowhere', () => {
    const sent = encode({ ...input({ text }, { headers }), differences });
    const head = '"max_tokens":12345678901234567890,"messages":[]';
    expect(sent.body.toString()).toBe(`{${head},"anthropic_version":"cloud-1","anthropic_beta":["a","b"]}`);
    expect(sent.headers).toEqual({});
    const { model: _, stream: __, ...rest } = body({});
    expect(body({}, { differences })).toEqual({ ...rest, anthropic_version: 'cloud-1' });
  });

  test('a newer version is passed on', () => {
    const newer = { headers: { 'anthropic-version': '2026-10-21' } };
    const { body } = encode({ ...input({ text }, newer), differences });
    expect(JSON.parse(body.toString())).toMatchObject({ anthropic_version: '2026-10-21' });
  });

  test('betas stay a header, and a count of tokens keeps its model', () => {
    const { betas: _, ...byHeader } = differences;
    const asked = input({ text }, { headers, operation: 'count-tokens' });
    const counted = encode({ ...asked, differences: byHeader });
    const told = { model: budgetModel, anthropic_version: 'cloud-1' };
    expect(JSON.parse(counted.body.toString())).toMatchObject(told);
    expect(counted.headers).toEqual({ 'anthropic-beta': 'a, b' });
  });
});

describe('settings', () => {
  test.each(
    rows<[Fields, object]>`
    - [{temperature: 1.7}, {temperature: 1}]
    - [{temperature: 0}, {temperature: 0}]
    - [{temperature: 0.5, topP: 0.5}, {temperature: 0.5}]
    - [{stop: [END, " \n", '']}, {stop_sequences: [END]}]
    - [{stop: [' ']}, {}]
    - [{serviceTier: auto}, {service_tier: auto}]
    - [{serviceTier: flex}, {service_tier: standard_only}]
    - [{serviceTier: default}, {service_tier: standard_only}]
    - [{serviceTier: priority}, {service_tier: auto}]
    - [{serviceTier: standard_only}, {service_tier: standard_only}]
    - [{serviceTier: scale}, {}]
    - [{serviceTier: constructor}, {}]
    - [{extensions: {messages: {container: c}, chat: {store: true, prediction: {}}}}, {container: c}]
    - [{n: 1, logitBias: {}, modalities: [text], metadata: {a: b}, output: {type: text}}, {}]
  `,
  )('the settings %j become %j', (request, expected) => {
    expect(body(request)).toEqual({ ...body({}), ...expected });
  });

  test.each(
    rows<[Fields, string]>`
    - [{n: 2}, n]
    - [{modalities: [text, audio]}, modalities]
    - [{maxTokens: 0}, maxTokens]
    - [{maxTokens: -5}, maxTokens]
    - [{output: {type: schema, schema: {type: array}}}, output]
    - [{output: {type: schema, schema: {type: [string, 'null']}}}, output]
    - [{toolChoice: {type: required}}, toolChoice]
    - [{toolChoice: {type: tool, name: f}}, toolChoice]
    - [{tools: [{type: function, name: g}], toolChoice: {type: tool, name: f}}, toolChoice]
  `,
  )('the setting %j is refused with the path %s', (request, path) => {
    expect(refused(request)).toMatchObject({ kind: 'invalid-request', path });
  });

  test.each(['ann@mail.example', 'x'.repeat(600)])('the end user %s is sent as a hash', user => {
    expect(body({ user }).metadata.user_id).toMatch(/^[0-9a-f]{32}$/);
  });

  test('encoding does not change the canonical request', () => {
    const value = { type: 'search_result', cache_control: { type: 'ephemeral' } };
    body({ messages: [user(...Array.from({ length: 6 }, () => opaque(value)))] });
    expect(value.cache_control).toEqual({ type: 'ephemeral' });
  });
});

describe('a conversation', () => {
  test.each([[[]], [['']], [[' ', '\n']]])('the results %j have no text', content => {
    const of = (part: ToolResultPart) => messages(hi, says(call('a')), tells(part))[2].content[0].content;
    expect(of(result('a', ...content))).toBe('');
    expect(of(failed(result('a', ...content)))).toBe('(empty)');
  });
});

describe('tools', () => {
  test('a call of the tool that stands for the output format is the answer', () => {
    const output = { type: 'schema', schema: {} } as const;
    const tools = toolsByName(
      { messages: [hi], output, tools: [{ ...tool, name: 'final_answer' }] },
      'claude-3-7-sonnet',
    );
    expect(tools.get('final_answer_')).toEqual({ type: 'answer' });
  });

  test.each(
    rows<[object, object]>`
  - - {type: function, name: f, parameters: &schema {type: object, properties: {x: {}}}, description: d, strict: true, cache: {ttl: 5m}}
    - {name: f, description: d, input_schema: *schema, strict: true, cache_control: {type: ephemeral, ttl: 5m}}
  - [{type: function, name: g}, {name: g, input_schema: {type: object, properties: {}}}]
  - [{type: function, name: h, parameters: {}}, {name: h, input_schema: {type: object, properties: {}}}]
  - - {type: custom, name: py, description: runs, format: {type: text}}
    - {name: py, description: runs, input_schema: {type: object, properties: {input: {type: string}}, required: [input]}}
  - - {type: web-search, own: {format: messages, value: {type: web_search_20250305, name: web_search}}}
    - {type: web_search_20250305, name: web_search}
`,
  )('the tool %j is encoded', (given, expected) => {
    expect(body({ tools: [given] as GenerateRequest['tools'] } as GenerateRequest).tools).toEqual([expected]);
  });

  test('tools that another vendor runs are refused', () => {
    const message = (tool: ReturnType<typeof opaque>) => refused({ tools: [tool] });
    expect(message(opaque({ type: 'code_interpreter' }, 'responses'))).toMatchObject({
      ...{ path: 'tools', message: expect.stringContaining("'code_interpreter'") },
    });
    // Google names the tool by its field.
    const google = message(opaque({ codeExecution: {} }, 'generate-content'));
    expect(google?.message).toContain("'codeExecution'");
  });

  test('tools with invalid names are renamed and mapped back', () => {
    const request: GenerateRequest = { messages: [hi], tools: [{ type: 'function', name: 'ns.f:1' }] };
    const { name } = body(request).tools[0];
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(toolsByName(request, budgetModel).get(name)).toEqual({ type: 'function', name: 'ns.f:1' });
    expect(body({ ...request, toolChoice: { type: 'tool', name: 'ns.f:1' } }).tool_choice.name).toBe(name);
  });

  test.each(
    rows<[Partial<GenerateRequest>, object?]>`
  - [{}]
  - [{parallelToolCalls: true}]
  - [{parallelToolCalls: false}, {type: auto, disable_parallel_tool_use: true}]
  - [{parallelToolCalls: false, toolChoice: {type: required}}, {type: any, disable_parallel_tool_use: true}]
  - [{parallelToolCalls: false, toolChoice: {type: tool, name: f}}, {type: tool, name: f, disable_parallel_tool_use: true}]
  - [{parallelToolCalls: false, toolChoice: {type: none}}, {type: none}]
  - [{tools: [], toolChoice: {type: auto}, parallelToolCalls: false}]
`,
  )('the tool choice is encoded: %j', (request, expected) => {
    expect(body({ tools: [tool], ...request }).tool_choice).toEqual(expected);
  });

  test('tools that may not be chosen are left out', () => {
    const tools = [tool, { ...tool, name: 'g' }, { ...tool, name: 'h' }];
    const sent = body({ tools, toolChoice: { type: 'required', names: ['h', 'f'] } });
    expect(sent).toMatchObject({ tools: [{ name: 'f' }, { name: 'h' }], tool_choice: { type: 'any' } });
    expect(body({ tools: [] })).not.toHaveProperty('tools');
  });
});

describe('thinking', () => {
  function ask(model: string, reasoning?: Reasoning, context: Partial<ThinkingContext> = {}) {
    const capabilities = modelTraits(model);
    return thinking(reasoning, { capabilities, maxTokens: 64_000, forced: false, turns: [], ...context });
  }

  test.each(
    rows<[string, object]>`
  - [claude-2.1, {thinking: none, sampling: true, schema: false}]
  - [claude-3-5-haiku-20241022, {thinking: none}]
  - [claude-3-opus-20240229, {thinking: none}]
  - [claude-3-7-sonnet-latest, {thinking: budget, schema: false}]
  - [claude-sonnet-4-20250514, {thinking: budget, schema: false}]
  - [claude-opus-4-1-20250805, {thinking: budget, schema: false}]
  - ['anthropic.claude-haiku-4-5-20251001-v1:0', {thinking: budget, sampling: true, schema: true}]
  - [anthropic/claude-sonnet-4.5, {thinking: budget, schema: true}]
  - [claude-opus-4-6, {thinking: adaptive, sampling: true, schema: true}]
  - [claude-opus-4-8, {thinking: adaptive, sampling: false, supportsThinkingOff: true}]
  - [claude-sonnet-5, {thinking: adaptive, sampling: false, supportsThinkingOff: true}]
  - [claude-opus-5-1, {thinking: adaptive, sampling: false}]
  - [claude-fable-5, {thinking: adaptive, sampling: false, supportsThinkingOff: false}]
  - [another-model, {thinking: budget, sampling: true, schema: false}]
`,
  )('the model %s has the traits %j', (model, expected) => {
    expect(modelTraits(model)).toMatchObject(expected);
  });

  const budgeted = 'claude-sonnet-4-5';
  const budget = (tokens: number) => ({ thinking: { type: 'enabled', budget_tokens: tokens } });

  test.each<[Reasoning, number | undefined]>([
    ...[{}, { show: true }, { effort: 'none' }, { budget: 0 }, { budget: -1 }].map(
      (reasoning): [Reasoning, undefined] => [reasoning as Reasoning, undefined],
    ),
    [{ effort: 'minimal' }, 1_024],
    [{ effort: 'low' }, 1_024],
    [{ effort: 'medium', show: true }, 4_096],
    [{ effort: 'high' }, 16_384],
    [{ effort: 'xhigh' }, 32_768],
    [{ effort: 'max' }, 32_768],
    [{ adaptive: true }, 4_096],
    [{ adaptive: true, effort: 'high' }, 16_384],
    [{ budget: 10 }, 1_024],
    [{ budget: 5_000 }, 5_000],
  ])('reasoning %j becomes a budget of %s (pitfall 24)', (reasoning, tokens) => {
    expect(ask(budgeted, reasoning)).toEqual(tokens ? budget(tokens) : {});
  });

  test('a budget shows no thinking if it is to be omitted, and none is asked for without a wish', () => {
    const omitted = { thinking: { ...budget(5_000).thinking, display: 'omitted' } };
    expect(ask(budgeted, { budget: 5_000, show: false })).toEqual(omitted);
    expect(ask(budgeted)).toEqual({});
  });

  test.each([
    [1_024, undefined],
    [1_025, 1_024],
    [2_000, 1_500],
    [4_096, 3_072],
  ])('the budget stays below %i output tokens and leaves room for text', (maxTokens, tokens) => {
    expect(ask(budgeted, { effort: 'max' }, { maxTokens })).toEqual(tokens ? budget(tokens) : {});
  });

  test.each<[string, string[], boolean]>([
    ['no thinking', ['tool_use'], false],
    ['text before its call, without thinking', ['text', 'tool_use'], false],
    ['thinking', ['thinking', 'text', 'tool_use'], true],
    ['redacted thinking', ['redacted_thinking', 'tool_use'], true],
    ['no calls', ['text'], true],
  ])('thinking depends on the last assistant turn: %s (pitfall 17)', (_what, types, thinks) => {
    const said = { role: 'assistant', content: types.map(type => ({ type })) };
    const turns = [said, { role: 'user', content: [{ type: 'tool_result' }] }];
    expect('thinking' in ask(budgeted, { effort: 'low' }, { turns })).toBe(thinks);
    expect('thinking' in ask('claude-opus-4-6', { effort: 'low' }, { turns })).toBe(true);
  });

  test.each(
    rows<[Reasoning, object]>`
  - [{}, {}]
  - [{effort: none}, {thinking: {type: disabled}}]
  - [{budget: 0}, {thinking: {type: disabled}}]
  - [{effort: minimal}, {thinking: {type: adaptive}, effort: low}]
  - [{effort: low, show: true}, {thinking: {type: adaptive, display: summarized}, effort: low}]
  - [{effort: medium}, {thinking: {type: adaptive}, effort: medium}]
  - [{effort: high}, {thinking: {type: adaptive}, effort: high}]
  - [{effort: xhigh}, {thinking: {type: adaptive}, effort: xhigh}]
  - [{effort: max}, {thinking: {type: adaptive}, effort: max}]
  - [{budget: 1024}, {thinking: {type: adaptive}, effort: low}]
  - [{budget: 8192}, {thinking: {type: adaptive}, effort: medium}]
  - [{budget: 24576}, {thinking: {type: adaptive}, effort: high}]
  - [{budget: 24577}, {thinking: {type: adaptive}, effort: xhigh}]
  - [{adaptive: true, show: false}, {thinking: {type: adaptive, display: omitted}}]
  - [{show: false}, {}]
  - [{show: true}, {thinking: {type: adaptive, display: summarized}}]
`,
  )('reasoning %j becomes %j for an adaptive model', (reasoning, expected) => {
    expect(ask('claude-opus-4-8', reasoning)).toEqual(expected);
  });

  // The last cannot disable its thinking, and the first has none.
  test.each([
    ['claude-3-5-sonnet-20241022', 'high', false, {}],
    [budgeted, 'high', true, {}],
    ['claude-opus-4-8', 'high', true, { effort: 'high' }],
    ['claude-fable-5', 'none', false, { effort: 'low' }],
  ] as const)(
    '%s with the effort %s, forced to call a tool: %s, gets %j',
    (model, effort, forced, expected) => {
      expect(ask(model, { effort }, { forced })).toEqual(expected);
    },
  );

  test.each(
    rows<[Reasoning, object]>`
  - [{effort: none}, {thinking: {type: disabled}}]
  - [{budget: 0}, {thinking: {type: disabled}}]
  - [{effort: low}, {thinking: {type: enabled, budget_tokens: 1024}}]
  - [{}, {}]
  - [{show: true}, {}]
`,
  )("another vendor's model, which thinks by default, takes %j as %j", (reasoning, expected) => {
    expect(ask('deepseek-v4-pro', reasoning)).toEqual(expected);
  });

  test.each<[string, string[][], boolean]>([
    ['calls without thinking', [['tool_use'], ['thinking', 'tool_use']], true],
    ['text before its call', [['text', 'tool_use']], true],
    [
      'thinking before each call',
      [['thinking', 'tool_use'], ['thinking', 'text', 'tool_use'], ['text']],
      false,
    ],
  ])('DeepSeek and Kimi do not think in a history with %s', (_what, contents, off) => {
    const turns = contents.map(types => ({ role: 'assistant', content: types.map(type => ({ type })) }));
    const disabled = { thinking: { type: 'disabled' } };
    for (const model of ['deepseek-v4-pro', 'kimi-k2.6']) {
      expect(ask(model, { effort: 'low' }, { turns })).toEqual(off ? disabled : budget(1_024));
      expect(ask(model, undefined, { turns })).toEqual(off ? disabled : {});
    }
    expect(ask('glm-5', undefined, { turns })).toEqual({});
  });

  test('an adaptive model without a wish gets no fields', () => {
    expect(ask('claude-opus-4-8')).toEqual({});
  });
});
