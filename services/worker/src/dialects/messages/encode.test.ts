import type { GenerateRequest } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { refusal } from '../../testing/encode-input.ts';
import { adaptiveModel, body, budgetModel, hi, input, tool } from '../../testing/messages-request.ts';
import { encode } from './encode.ts';
import { toolsByName } from './encode-tools.ts';

describe("a client's JSON", () => {
  const text = Buffer.from('{"model":"x", "seed": 12345678901234567890,"messages":[],"speed":"fast"}');

  test('a request is sent unchanged except for the model and the dropped fields', () => {
    const { path, body, headers } = encode(input({ text, drop: ['speed'] }, { format: 'messages' }));
    expect(path).toBe('/v1/messages');
    expect(body.toString()).toBe(`{"model":"${budgetModel}","seed": 12345678901234567890,"messages":[]}`);
    expect(headers).toEqual({ 'anthropic-version': '2023-06-01' });
  });

  test('a request keeps its version and beta headers', () => {
    const headers = { 'anthropic-version': '2026-10-21', 'anthropic-beta': 'a,b', other: 'x' };
    expect(encode(input({ text }, { headers })).headers).toEqual({
      'anthropic-version': '2026-10-21',
      'anthropic-beta': 'a,b',
    });
  });

  test('a token count is sent to its own path', () => {
    expect(encode(input({ text }, { operation: 'count-tokens' })).path).toBe('/v1/messages/count_tokens');
  });
});

describe('a model that a cloud hosts', () => {
  const text = Buffer.from('{"model":"x","stream":true,"max_tokens":12345678901234567890,"messages":[]}');
  const differences = { bodyVersion: 'cloud-1', inUrl: ['model', 'stream'], betas: 'body' } as const;
  const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a, b' };

  test('a request has the version and betas in its body, and what the URL says nowhere', () => {
    const request = encode({ ...input({ text }, { headers }), differences });
    expect(request.body.toString()).toBe(
      '{"max_tokens":12345678901234567890,"messages":[],"anthropic_version":"cloud-1","anthropic_beta":["a","b"]}',
    );
    expect(request.headers).toEqual({});
    const translated = JSON.parse(
      encode({ ...input({ request: { messages: [hi] } }), differences }).body.toString(),
    );
    expect(translated).toMatchObject({ anthropic_version: 'cloud-1', max_tokens: 4096 });
    expect(Object.keys(translated)).not.toEqual(
      expect.arrayContaining(['model', 'stream', 'anthropic_beta']),
    );
  });

  test('a newer version is passed on', () => {
    const { body } = encode({
      ...input({ text }, { headers: { 'anthropic-version': '2026-10-21' } }),
      differences,
    });
    expect(JSON.parse(body.toString())).toMatchObject({ anthropic_version: '2026-10-21' });
  });

  test('betas stay a header, and a count of tokens keeps its model', () => {
    const { betas: _, ...byHeader } = differences;
    const counted = encode({
      ...input({ text }, { headers, operation: 'count-tokens' }),
      differences: byHeader,
    });
    expect(JSON.parse(counted.body.toString())).toMatchObject({
      model: budgetModel,
      anthropic_version: 'cloud-1',
    });
    expect(counted.headers).toEqual({ 'anthropic-beta': 'a, b' });
  });
});

describe('settings', () => {
  test('a request without settings has only the required fields', () => {
    expect(body({})).toEqual({
      model: budgetModel,
      max_tokens: 4096,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      stream: true,
    });
  });

  test.each<[Partial<GenerateRequest>, object]>([
    [{ temperature: 1.7 }, { temperature: 1 }],
    [{ temperature: 0 }, { temperature: 0 }],
    [{ stop: ['END', ' \n', ''] }, { stop_sequences: ['END'] }],
    [{ serviceTier: 'auto' }, { service_tier: 'auto' }],
    [{ serviceTier: 'flex' }, { service_tier: 'standard_only' }],
    [{ serviceTier: 'default' }, { service_tier: 'standard_only' }],
    [{ extensions: { messages: { container: 'c' }, chat: { store: true } } }, { container: 'c' }],
  ])('the setting %j becomes %j', (request, expected) => {
    expect(body(request)).toMatchObject(expected);
  });

  test.each<[Partial<GenerateRequest>, string]>([
    [{ temperature: 0.5, topP: 0.5 }, 'top_p'],
    [{ stop: [' '] }, 'stop_sequences'],
    [{ serviceTier: 'scale' }, 'service_tier'],
    [{ metadata: { a: 'b' } }, 'metadata'],
    [{ extensions: { chat: { prediction: {} } } }, 'prediction'],
    [{ extensions: { chat: { store: true } } }, 'store'],
  ])('the setting %j leaves out %s', (request, field) => {
    expect(body(request)).not.toHaveProperty(field);
  });

  test.each<[Partial<GenerateRequest>, string]>([
    [{ n: 2 }, 'n'],
    [{ logprobs: {} }, 'logprobs'],
    [{ logitBias: { 1: 2 } }, 'logitBias'],
    [{ modalities: ['text', 'audio'] }, 'modalities'],
    [{ maxTokens: 0 }, 'maxTokens'],
    [{ maxTokens: -5 }, 'maxTokens'],
    [{ output: { type: 'schema', schema: { type: 'array' } } }, 'output'],
    [{ output: { type: 'schema', schema: { type: ['string', 'null'] } } }, 'output'],
    [{ toolChoice: { type: 'required' } }, 'toolChoice'],
    [{ toolChoice: { type: 'tool', name: 'f' } }, 'toolChoice'],
    [{ tools: [{ type: 'function', name: 'g' }], toolChoice: { type: 'tool', name: 'f' } }, 'toolChoice'],
  ])('the setting %j is refused with the path %s', (request, path) => {
    expect(refusal(() => body(request))).toMatchObject({ kind: 'invalid-request', path });
  });

  test('settings with their default values are not refused', () => {
    expect(body({ n: 1, logitBias: {}, modalities: ['text'] })).toBeTruthy();
  });

  test.each(['ann@mail.example', 'x'.repeat(600)])('the end user %s is sent as a hash', user => {
    expect(body({ user }).metadata.user_id).toMatch(/^[0-9a-f]{32}$/);
  });

  test("max_tokens defaults to the model's output limit", () => {
    expect(body({}, { limits: { maxOutput: 64_000 } }).max_tokens).toBe(64_000);
  });

  test('settings that the model does not accept are dropped (pitfall 27)', () => {
    const request = { temperature: 0.5, topP: 0.9, topK: 5, maxTokens: 9 };
    expect(body(request, { model: 'claude-opus-4-8' })).toEqual(
      body({ maxTokens: 9 }, { model: 'claude-opus-4-8' }),
    );
    expect(body(request, { drop: ['temperature'] })).not.toHaveProperty('temperature');
    expect(body(request, { model: adaptiveModel }).temperature).toBe(0.5);
  });

  test('sampling settings are left out if the model thinks', () => {
    const request: Partial<GenerateRequest> = {
      temperature: 0.5,
      topK: 5,
      maxTokens: 9_000,
      reasoning: { effort: 'low' },
    };
    const sent = body(request);
    expect(sent.thinking).toEqual({ type: 'enabled', budget_tokens: 1_024 });
    expect(sent).not.toHaveProperty('temperature');
    expect(sent).not.toHaveProperty('top_k');
  });

  test('only the last four cache breakpoints are kept', () => {
    const cached = (text: string) => ({ type: 'text', text, cache: {} }) as const;
    const request: Partial<GenerateRequest> = {
      tools: [{ ...tool, cache: {} }],
      messages: [
        { role: 'system', content: [cached('a'), cached('b')] },
        { role: 'user', content: [cached('c'), cached('d'), cached('e')] },
      ],
    };
    const { tools, system, messages } = body(request);
    const breakpoints = [...tools, ...system, ...messages[0].content].map(block =>
      Boolean(block.cache_control),
    );
    expect(breakpoints).toEqual([false, false, true, true, true, true]);
  });

  test('encoding does not change the canonical request', () => {
    const value = { type: 'search_result', cache_control: { type: 'ephemeral' } };
    const content = Array.from({ length: 6 }, () => ({ type: 'opaque', format: 'messages', value }) as const);
    body({ messages: [{ role: 'user', content }] });
    expect(value.cache_control).toEqual({ type: 'ephemeral' });
  });
});

describe('the output format', () => {
  const schema = { type: 'object', properties: { a: { type: 'number' } } };
  const output = { type: 'schema', schema, name: 'n', strict: true } as const;
  const old = { model: 'claude-3-7-sonnet-20250219' };

  test('text output adds no field', () => {
    expect(body({ output: { type: 'text' } })).toEqual(body({}));
  });

  test('a schema is sent in output_config to a model that supports it', () => {
    const sent = body({ output, reasoning: { effort: 'low' } }, { model: adaptiveModel });
    expect(sent.output_config).toEqual({ effort: 'low', format: { type: 'json_schema', schema } });
    expect(sent).not.toHaveProperty('tools');
  });

  test('a schema becomes a forced tool call without thinking for other models', () => {
    const sent = body({ output, reasoning: { effort: 'high' }, maxTokens: 9_000 }, old);
    expect(sent.tools).toMatchObject([{ name: 'final_answer', input_schema: schema }]);
    expect(sent.tool_choice).toEqual({ type: 'tool', name: 'final_answer' });
    expect(sent).not.toHaveProperty('thinking');
    expect(sent).not.toHaveProperty('output_config');
  });

  test('the answer tool is not forced if the client has tools', () => {
    const request: GenerateRequest = { messages: [hi], output, tools: [{ ...tool, name: 'final_answer' }] };
    const sent = body(request, old);
    expect(sent.tools.map(({ name }: { name: string }) => name)).toEqual(['final_answer', 'final_answer_']);
    expect(sent).not.toHaveProperty('tool_choice');
    expect(toolsByName(request, old.model).get('final_answer_')).toEqual({ type: 'answer' });
    expect(body({ ...request, toolChoice: { type: 'none' } }, old).tool_choice.name).toBe('final_answer_');
  });
});
