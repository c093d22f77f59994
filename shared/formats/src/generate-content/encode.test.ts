import type { Envelope, GenerateRequest, Reasoning } from '@model-gateway/canonical';
import { refusal } from '@model-gateway/canonical/testing/events';
import { user } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import type { InputFields } from '../testing/encode-input.ts';
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

type Fields = Partial<GenerateRequest>;
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

describe('settings', () => {
  test('settings that no client of the grid has are sent, and unknown ones are not', () => {
    const stop = ['END', ''];
    const others = { user: 'u', metadata: { a: 'b' }, verbosity: 'low' };
    expect(body({ stop, modalities: ['text', 'image'], serviceTier: 'flex', ...others })).toEqual({
      ...body({}),
      serviceTier: 'flex',
      generationConfig: { stopSequences: ['END'], responseModalities: ['TEXT', 'IMAGE'] },
    });
  });

  test('absent settings and defaults are not sent', () => {
    expect(body({})).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] });
    expect(body({ presencePenalty: 0, seed: 2 ** 40, serviceTier: 'auto', stop: [] })).toEqual(body({}));
  });

  test('maxOutputTokens is capped at the limit, and dropped settings are not sent', () => {
    const capped = body({ maxTokens: 9_000 }, { limits: { maxOutput: 4_000 } });
    expect(capped.generationConfig).toEqual({ maxOutputTokens: 4_000 });
    const fields = { topK: 1, temperature: 0, serviceTier: 'flex' };
    const left = { ...body({}), generationConfig: { temperature: 0 } };
    expect(body(fields, { drop: ['top_k', 'service_tier'] })).toEqual(left);
    expect(body({ topK: 1 }, { drop: ['topK'] })).toEqual(body({}));
  });

  test('extensions of this format are sent, those of other formats are not', () => {
    const own = {
      safetySettings: [{ category: 'HARM_CATEGORY_HATE_SPEECH', threshold: 'BLOCK_ONLY_HIGH' }],
      cachedContent: 'cachedContents/x',
      generationConfig: { imageConfig: { aspectRatio: '1:1' } },
      toolConfig: { retrievalConfig: { languageCode: 'no' } },
    };
    const extensions = { 'generate-content': own, chat: { prediction: {} } };
    const sent = body({ temperature: 0, tools: [tool], toolChoice: { type: 'auto' }, extensions });
    expect(sent).toMatchObject({
      ...own,
      generationConfig: { ...own.generationConfig, temperature: 0 },
      toolConfig: { ...own.toolConfig, functionCallingConfig: { mode: 'AUTO' } },
    });
    expect(sent).not.toHaveProperty('prediction');
  });

  test.each<[string, Fields, object]>([
    ['too many choices', { n: 9 }, { path: 'n' }],
    ['too many stop sequences', { stop: ['1', '2', '3', '4', '5', '6'] }, { path: 'stop' }],
    ['zero output tokens', { maxTokens: 0 }, { path: 'maxTokens' }],
    [
      "another vendor's servers",
      { extensions: { messages: { mcp_servers: [{}] } } },
      { param: 'mcp_servers' },
    ],
  ])('%s are refused', (_what, request, field) => {
    expect(refused(request)).toMatchObject({ kind: 'invalid-request', ...field });
  });
});

describe('the output format', () => {
  const schema = { type: 'object', properties: { kind: { const: 'a' } } };
  const wanted = { type: 'object', properties: { kind: { enum: ['a'] } } };
  const output = { type: 'schema', schema, name: 'n', strict: true } as const;

  test('the output format is a JSON schema, any JSON or absent for text', () => {
    expect(config({ output })).toEqual({ responseMimeType: 'application/json', responseJsonSchema: wanted });
    expect(config({ output: { type: 'json' } })).toEqual({ responseMimeType: 'application/json' });
    expect(config({ output: { type: 'text' } })).toBeUndefined();
  });

  test('the output format becomes an instruction on older models with functions', () => {
    const { generationConfig, systemInstruction } = body({ output, tools: [tool] }, { model: older });
    expect(generationConfig).toBeUndefined();
    expect(systemInstruction.parts[0].text).toContain(JSON.stringify(schema));
    expect(config({ output }, older)).toMatchObject({ responseJsonSchema: wanted });
    expect(config({ output, tools: [tool] })).toMatchObject({ responseJsonSchema: wanted });
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
