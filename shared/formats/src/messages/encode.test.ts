import type { GenerateRequest } from '@model-gateway/canonical';
import { cached, opaque, system, user } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { adaptiveModel, body, budgetModel, hi, input, refused, tool } from '../testing/messages-request.ts';
import { encode } from './encode.ts';
import { toolsByName } from './encode-tools.ts';

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
  test('a request without settings has only the required fields', () => {
    expect(body({})).toEqual({ model: budgetModel, max_tokens: 4096, messages: [user('Hi')], stream: true });
  });

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

  test("max_tokens defaults to the model's output limit", () => {
    expect(body({}, { limits: { maxOutput: 64_000 } }).max_tokens).toBe(64_000);
  });

  test('settings that the model does not accept are dropped (pitfall 27)', () => {
    const request = { temperature: 0.5, topP: 0.9, topK: 5, maxTokens: 9 };
    const model = 'claude-opus-4-8';
    expect(body(request, { model })).toEqual(body({ maxTokens: 9 }, { model }));
    expect(body(request, { drop: ['temperature'] })).not.toHaveProperty('temperature');
    expect(body(request, { model: adaptiveModel }).temperature).toBe(0.5);
  });

  test('sampling settings are left out if the model thinks', () => {
    const thinks: Fields = { maxTokens: 9_000, reasoning: { effort: 'low' } };
    const sent = body({ ...thinks, temperature: 0.5, topK: 5 });
    expect(sent.thinking).toEqual({ type: 'enabled', budget_tokens: 1_024 });
    expect(sent).toEqual(body(thinks));
  });

  test('only the last four cache breakpoints are kept', () => {
    const [a, b, c, d, e] = [...'abcde'].map(value => cached(value)) as ReturnType<typeof cached>[];
    const messages = [system(a as never, b as never), user(c as never, d as never, 'x', e as never)];
    const sent = body({ tools: [{ ...tool, cache: {} }], messages });
    const blocks = [...sent.tools, ...sent.system, ...sent.messages[0].content];
    const kept = blocks.map(block => 'cache_control' in block);
    expect(kept).toEqual([false, false, true, true, true, false, true]);
  });

  test('encoding does not change the canonical request', () => {
    const value = { type: 'search_result', cache_control: { type: 'ephemeral' } };
    body({ messages: [user(...Array.from({ length: 6 }, () => opaque(value)))] });
    expect(value.cache_control).toEqual({ type: 'ephemeral' });
  });
});

describe('the output format', () => {
  const schema = { type: 'object', properties: { a: { type: 'number' } } };
  const output = { type: 'schema', schema, name: 'n', strict: true } as const;
  const old = { model: 'claude-3-7-sonnet-20250219' };

  test('a schema is sent in output_config to a model that supports it', () => {
    const sent = body({ output, reasoning: { effort: 'low' } }, { model: adaptiveModel });
    expect(sent.output_config).toEqual({ effort: 'low', format: { type: 'json_schema', schema } });
    expect(sent).not.toHaveProperty('tools');
  });

  test('a schema becomes a forced tool call without thinking for other models', () => {
    const sent = body({ output, reasoning: { effort: 'high' }, maxTokens: 9_000 }, old);
    const { tools, tool_choice, ...rest } = sent;
    expect(tools).toMatchObject([{ name: 'final_answer', input_schema: schema }]);
    expect(tool_choice).toEqual({ type: 'tool', name: 'final_answer' });
    expect(rest).toEqual(body({ maxTokens: 9_000 }, old));
  });

  test('the answer tool is not forced if the client has tools', () => {
    const request: GenerateRequest = { messages: [hi], output, tools: [{ ...tool, name: 'final_answer' }] };
    const sent = body(request, old);
    expect(sent.tools).toMatchObject([{ name: 'final_answer' }, { name: 'final_answer_' }]);
    expect(sent).not.toHaveProperty('tool_choice');
    expect(toolsByName(request, old.model).get('final_answer_')).toEqual({ type: 'answer' });
    expect(body({ ...request, toolChoice: { type: 'none' } }, old).tool_choice.name).toBe('final_answer_');
  });
});
