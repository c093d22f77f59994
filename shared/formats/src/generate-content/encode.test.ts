import type { Envelope, GenerateRequest, Reasoning } from '@model-gateway/canonical';
import { refusal } from '@model-gateway/canonical/testing/events';
import { call, result, says, tells, user } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { parseExact } from '@model-gateway/json';
import { describe, expect, test } from 'vitest';
import type { AskedFields, InputFields } from '../testing/encode-input.ts';
import { testFixtures, unusual } from '../testing/fixtures.ts';
import {
  body,
  config,
  input,
  newest,
  older,
  refused,
  standIn,
  tool,
} from '../testing/generate-content-request.ts';
import { encode } from './encode.ts';
import { toolsByName } from './encode-tools.ts';

testFixtures(import.meta.dirname, 'encode', ({ facts: { format, ...more } = {}, ...request }: AskedFields) =>
  unusual(body(request, more, format), body({})),
);

const empty = Buffer.from('{"contents":[]}');

describe('the upstream path', () => {
  test.each<[InputFields, Partial<Envelope>, string]>([
    [{ request: { messages: [user('Hi')] } }, {}, ':streamGenerateContent?alt=sse'],
    [{ text: empty }, { stream: true }, ':streamGenerateContent?alt=sse'],
    [{ text: empty }, {}, ':generateContent'],
    [{ text: empty }, { operation: 'count-tokens' }, ':countTokens'],
  ])('the path has its method: %#', (fields, envelope, method) => {
    expect(encode(input(fields, envelope)).path).toBe(`/v1beta/models/${newest}${method}`);
  });

  test.each([
    ['gemini-x', 'models/gemini-x'],
    ['models/gemini-x', 'models/gemini-x'],
    ['tunedModels/mine', 'tunedModels/mine'],
    ['google/gemini-x', 'models/google/gemini-x'],
    ['a b?c#d', 'models/a%20b%3Fc%23d'],
  ])('the path of model %s is /v1beta/%s', (model, path) => {
    expect(encode(input({ text: empty, model })).path).toBe(`/v1beta/${path}:generateContent`);
  });

  test('a model name with a path traversal is refused', () => {
    const refused = refusal(() => encode(input({ text: empty, model: '../../x' })));
    expect(refused).toMatchObject({ param: 'model' });
  });
});

describe('a verbatim request', () => {
  const splice = (text: string, fields: InputFields = {}, foreign = false) =>
    encode(
      input({ text: Buffer.from(text), ...fields }, { format: 'generate-content', foreign }),
    ).body.toString();

  test.each([
    '{"contents": [{"parts":[{"text":"ž"}]}],"generation_config":{"seed": 12345678901234567890}}',
    '{"generate_content_request":{"contents":[]}}',
    '{"generationConfig":null,"contents":[]}',
  ])('a verbatim request is sent unchanged: %s', text => {
    expect(splice(text)).toBe(text);
  });

  test("a model in a verbatim request becomes the upstream's name", () => {
    const named = (model: string) => `{"model":"models/${model}","contents":[]}`;
    expect(splice(named('x'))).toBe(named(newest));
    const within = (request: string) => `{"generateContentRequest":${request}}`;
    expect(splice(within(named('x')))).toBe(within(named(newest)));
  });

  test.each([
    ['{"contents":[],"safety_settings":[]}', '{"contents":[]}'],
    ['{"generationConfig":{"topK":1,"seed": 9e99},"a":1}', '{"generationConfig":{"seed": 9e99},"a":1}'],
    ['{"generation_config":{"top_k":1},"contents":[]}', '{"generation_config":{},"contents":[]}'],
    ['{"generationConfig":null,"contents":[]}', '{"generationConfig":null,"contents":[]}'],
  ])('%s is sent without dropped fields', (text, sent) => {
    expect(splice(text, { drop: ['topK', 'safety_settings'] })).toBe(sent);
  });

  test("a verbatim request is sent without other vendors' signatures and reasoning", () => {
    const own = { text: 'Own.', thought: true, thought_signature: 'Q2lR' };
    const called = { functionCall: { name: 'g', args: {} } };
    const f = { function_call: { name: 'f', args: {} } };
    const left = { text: 'a', partMetadata: { n: 1 } };
    const parts = [
      { text: 'Plan.', thought: true, thoughtSignature: 'am:EqQB' },
      ...[own, { thoughtSignature: 'or:x' }, { ...left, thought_signature: 'am:x' }],
      ...[{ ...f, thoughtSignature: 'am:y' }, called],
    ];
    const history = (sent: object[]) => [
      { role: 'user', parts: [{ text: 'x' }] },
      { role: 'model', parts: sent },
    ];
    const text = JSON.stringify({ contents: history(parts), generationConfig: {} });
    const contents = (model: string) => JSON.parse(splice(text, { model }, true)).contents;
    expect(contents(newest)).toEqual(history([own, left, { ...f, thoughtSignature: standIn }, called]));
    expect(contents(older)).toEqual(history([own, left, f, called]));
    expect(splice(text)).toBe(text);
  });

  test("a verbatim token count is sent without other vendors' signatures", () => {
    const counted = (part: string) =>
      `{"generateContentRequest":{"contents":[{"role":"model","parts":[${part}]}]}}`;
    const text = counted('{"text":"x","thoughtSignature":"am:s"}');
    expect(splice(text, {}, true)).toBe(counted('{"text":"x"}'));
  });

  test('a sanitized history has files of their type, and turns with content', () => {
    const png = 'iVBORw0KGgoAAAANSUhEUg==';
    const turns = [
      { parts: [{ inline_data: { mime_type: 'image/jpeg', data: png } }] },
      { role: 'model' },
      {
        role: 'user',
        parts: [{ inlineData: { mimeType: 'image/png', data: `${png.slice(0, 8)}\r\n${png.slice(8)}` } }],
      },
      { role: 'model', parts: [{ text: '' }] },
      { role: 'user', parts: [{ text: '' }] },
    ];
    expect(JSON.parse(splice(JSON.stringify({ contents: turns }), {}, true)).contents).toEqual([
      { parts: [{ inline_data: { mime_type: 'image/png', data: png } }] },
      { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: png } }] },
      { role: 'user', parts: [{ text: '.' }] },
    ]);
  });

  test('a sanitized history keeps exact numbers and drops empty turns', () => {
    const gone = '{"role":"model","parts":[{"text":"x","thought":true,"thoughtSignature":"am:s"}]}';
    const kept = '{"parts":[{"functionResponse":{"name":"f","response":{"n":12345678901234567890}}}]}';
    expect(splice(`{"contents":[${gone},${kept}]}`, {}, true)).toBe(`{"contents":[${kept}]}`);
  });
});

const models: Record<string, string> = { newest, older, flash: 'gemini-3.6-flash', pro: 'gemini-2.5-pro' };
test.each(
  rows<[Reasoning, string, object?]>`
  - [{effort: none}, newest, {includeThoughts: false, thinkingLevel: LOW}]
  - [{effort: none}, flash, {includeThoughts: false, thinkingLevel: MINIMAL}]
  - [{effort: none}, older, {includeThoughts: false, thinkingBudget: 0}]
  - [{effort: none}, pro, {includeThoughts: false, thinkingBudget: 128}]
  - [{effort: minimal}, newest, {thinkingLevel: LOW}]
  - [{effort: minimal}, flash, {thinkingLevel: MINIMAL}]
  - [{effort: minimal}, older, {thinkingBudget: 512}]
  - [{effort: low}, newest, {thinkingLevel: LOW}]
  - [{effort: low}, older, {thinkingBudget: 1024}]
  - [{effort: medium}, newest, {thinkingLevel: HIGH}]
  - [{effort: medium}, flash, {thinkingLevel: MEDIUM}]
  - [{effort: medium}, some-alias, {thinkingLevel: MEDIUM}]
  - [{effort: high}, older, {thinkingBudget: 16384}]
  - [{effort: max}, older, {thinkingBudget: 24576}]
  - [{effort: max}, pro, {thinkingBudget: 32768}]
  - [{effort: xhigh}, newest, {thinkingLevel: HIGH}]
  - [{budget: 2000}, older, {includeThoughts: true, thinkingBudget: 2000}]
  - [{budget: 50}, gemini-2.5-flash-lite, {includeThoughts: true, thinkingBudget: 512}]
  - [{budget: 50000}, older, {includeThoughts: true, thinkingBudget: 24576}]
  - [{budget: 2000}, flash, {includeThoughts: true, thinkingLevel: MEDIUM}]
  - [{budget: -1}, older, {includeThoughts: true, thinkingBudget: -1}]
  - [{budget: -1, show: true}, newest, {includeThoughts: true}]
  - [{budget: 0}, older, {includeThoughts: false, thinkingBudget: 0}]
  - [{adaptive: true, show: true}, older, {includeThoughts: true, thinkingBudget: -1}]
  - [{adaptive: true}, newest]
  - [{adaptive: true, show: false}, newest, {includeThoughts: false}]
  - [{effort: high, show: false}, newest, {includeThoughts: false, thinkingLevel: HIGH}]
  - [{effort: low, show: true}, newest, {includeThoughts: true, thinkingLevel: LOW}]
  - [{show: true}, older, {includeThoughts: true}]
  - [{effort: high}, gemini-2.0-flash]
  - [{}, newest]
`,
)('reasoning %j on %s becomes a thinkingConfig', (reasoning, model, thinkingConfig) => {
  expect(config({ reasoning }, models[model] ?? model)?.thinkingConfig).toEqual(thinkingConfig);
});

describe('a conversation', () => {
  describe('calls and results', () => {
    const oslo = call('c1', '{"city":"Oslo","n":12345678901234567890}');

    test('numbers in arguments and results stay exact', () => {
      const messages = [user('x'), says(oslo), tells(result('c1', '{"n":1.50}'))];
      const sent = encode(input({ request: { messages } })).body.toString();
      expect(sent).toContain('"n":12345678901234567890');
      expect(sent).toContain('"response":{"n":1.50}');
    });
  });
});

describe('tools', () => {
  type Fields = Partial<GenerateRequest>;

  test.each(
    rows<[object, object]>`
  - - type: function
      name: f
      description: d
      strict: true
      parameters:
        type: object
        properties: {const: {const: a}, list: {type: array, items: {anyOf: [{const: 1}, {$ref: '#'}]}}}
        additionalProperties: false
    - name: f
      description: d
      parametersJsonSchema:
        type: object
        properties: {const: {enum: [a]}, list: {type: array, items: {anyOf: [{enum: [1]}, {$ref: '#'}]}}}
        additionalProperties: false
  - [{type: function, name: bare}, {name: bare}]
  - - {type: custom, name: py, description: p}
    - {name: py, description: p, parametersJsonSchema: {type: object, properties: {input: {type: string}}, required: [input]}}
`,
  )('tools are declared with their JSON schema (pitfall 13)', (given, declared) => {
    const { tools } = body({ tools: [given, tool] as NonNullable<Fields['tools']> });
    expect(tools).toEqual([{ functionDeclarations: [declared, expect.objectContaining({ name: 'f' })] }]);
  });

  test('tool schemas keep exact numbers', () => {
    const parameters = parseExact('{"type":"integer","maximum":18446744073709551615}') as Record<
      string,
      unknown
    >;
    const request = { messages: [user('x')], tools: [{ ...tool, parameters }] };
    expect(encode(input({ request })).body.toString()).toContain('"maximum":18446744073709551615');
  });

  test('tool names are converted to allowed names and back', () => {
    const names = ['1st', 'a/b', 'a b', 'x'.repeat(80), 'ok.name:1-a'];
    const tools = names.map(name => ({ type: 'function' as const, name }));
    const [{ functionDeclarations }] = body({ tools }).tools;
    const declared: string[] = functionDeclarations.map(({ name }: { name: string }) => name);
    for (const name of declared) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/);
    expect(new Set(declared).size).toBe(names.length);
    expect(declared.map(name => toolsByName({ tools }).get(name)?.name)).toEqual(names);
    expect(declared.at(-1)).toBe('ok.name:1-a');
  });

  test.each(
    rows<[Fields['toolChoice'], object]>`
  - [{type: auto}, {mode: AUTO}]
  - [{type: required}, {mode: ANY}]
  - [{type: none}, {mode: NONE}]
  - [{type: tool, name: f}, {mode: ANY, allowedFunctionNames: [f]}]
  - [{type: required, names: [f]}, {mode: ANY, allowedFunctionNames: [f]}]
  - [{type: auto, names: [f]}, {mode: VALIDATED, allowedFunctionNames: [f]}]
`,
  )('tool choice %j becomes a functionCallingConfig', (toolChoice, functionCallingConfig) => {
    const { toolConfig } = body({ tools: [tool], toolChoice, parallelToolCalls: false } as Fields);
    expect(toolConfig).toEqual({ functionCallingConfig });
  });

  test('toolConfig is absent without a tool choice or without tools', () => {
    expect(body({ tools: [tool] })).not.toHaveProperty('toolConfig');
    expect(body({ toolChoice: { type: 'none' } })).not.toHaveProperty('toolConfig');
  });

  test.each(
    rows<[Fields, string]>`
  - [{tools: [], toolChoice: {type: required}}, toolChoice]
  - [{tools: [{type: function, name: f}], toolChoice: {type: tool, name: g}}, toolChoice]
  - [{tools: [{type: web-search}], toolChoice: {type: required}}, toolChoice]
  - [{tools: [{type: function, name: f}, {type: web-search}], toolChoice: {type: tool, name: web_search}}, toolChoice]
  - [{tools: [{type: opaque, format: messages, value: {type: bash_20250124}}]}, tools]
  - [{tools: [{type: web-search, allowedDomains: [x.org]}]}, tools]
  - [{tools: [{type: web-search, blockedDomains: [x.org]}]}, tools]
`,
  )('%j is refused by the path %s', (fields, path) => {
    expect(refused(fields)).toMatchObject({ kind: 'invalid-request', path });
  });
});

describe('differences of providers', () => {
  /** Those of a cloud that hosts Google's models. */
  const differences = { inUrl: ['model'] };
  const counting = { operation: 'count-tokens' } as const;
  const written = (...from: Parameters<typeof input>) => encode(input(...from)).body.toString();

  test('a body for a cloud names no model', () => {
    const text = Buffer.from('{"model":"models/x","contents":[],  "seed":12345678901234567890}');
    expect(written({ text, differences })).toBe('{"contents":[],"seed":12345678901234567890}');
  });

  test.each(['generateContentRequest', 'generate_content_request'])(
    'a count of tokens of a cloud takes the fields of %s without it',
    name => {
      const text = Buffer.from(`{"${name}":{"model":"models/x","contents":[{"parts":[]}],"tools":[]}}`);
      const body = written({ text, differences, drop: ['tools'] }, counting);
      expect(body).toBe('{"contents":[{"parts":[]}]}');
    },
  );

  test('a count of contents alone stays as it is, and a translated one is the request itself', () => {
    const text = Buffer.from('{"contents":[{"parts":[{"text":"\\u0041"}]}]}');
    expect(written({ text, differences }, counting)).toBe(text.toString());
    const request = { messages: [user('Hi')] };
    const hosted = JSON.parse(written({ request, differences }, counting));
    const own = JSON.parse(written({ request }, counting));
    expect(hosted).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] });
    expect(own.generateContentRequest).toMatchObject(hosted);
  });
});
