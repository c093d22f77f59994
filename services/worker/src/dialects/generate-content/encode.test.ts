import type { Envelope, GenerateRequest, Reasoning } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { type InputFields, refusal } from '../../testing/encode-input.ts';
import {
  body,
  config,
  input,
  newest,
  older,
  refused,
  standIn,
  tool,
  user,
} from '../../testing/generate-content-request.ts';
import { encode } from './encode.ts';

describe('the upstream path', () => {
  const request: GenerateRequest = { messages: [user('Hi')] };
  const verbatim = Buffer.from('{"contents":[]}');

  test.each<[string, InputFields, Partial<Envelope>, string]>([
    ['a translated request', { request }, {}, ':streamGenerateContent?alt=sse'],
    ['a verbatim stream', { text: verbatim }, { stream: true }, ':streamGenerateContent?alt=sse'],
    ['a verbatim request without a stream', { text: verbatim }, {}, ':generateContent'],
    ['a token count', { text: verbatim }, { operation: 'count-tokens' }, ':countTokens'],
  ])('the path of %s has its method', (_what, fields, envelope, method) => {
    expect(encode(input(fields, envelope)).path).toBe(`/v1beta/models/${newest}${method}`);
  });

  test.each([
    ['gemini-x', 'models/gemini-x'],
    ['models/gemini-x', 'models/gemini-x'],
    ['tunedModels/mine', 'tunedModels/mine'],
    ['google/gemini-x', 'models/google/gemini-x'],
    ['a b?c#d', 'models/a%20b%3Fc%23d'],
  ])('the path of model %s is /v1beta/%s', (model, path) => {
    expect(encode(input({ text: verbatim, model })).path).toBe(`/v1beta/${path}:generateContent`);
  });

  test('a model name with a path traversal is refused', () => {
    expect(refusal(() => encode(input({ text: verbatim, model: '../../x' })))).toMatchObject({
      param: 'model',
    });
  });
});

describe('a verbatim request', () => {
  const splice = (text: string, fields: InputFields = {}, foreign = false) =>
    encode(
      input({ text: Buffer.from(text), ...fields }, { format: 'generate-content', foreign }),
    ).body.toString();

  test('a verbatim request is sent unchanged', () => {
    const text =
      '{"contents": [{"parts":[{"text":"ž"}]}],"generation_config":{"seed": 12345678901234567890}}';
    expect(splice(text)).toBe(text);
  });

  test("a model in a verbatim request becomes the upstream's name, and none is added", () => {
    expect(splice('{"model":"models/x","contents":[]}')).toBe(`{"model":"models/${newest}","contents":[]}`);
    expect(splice('{"generateContentRequest":{"model":"models/x","contents":[]}}')).toBe(
      `{"generateContentRequest":{"model":"models/${newest}","contents":[]}}`,
    );
    expect(splice('{"generate_content_request":{"contents":[]}}')).toBe(
      '{"generate_content_request":{"contents":[]}}',
    );
  });

  test.each([
    ['{"contents":[],"safety_settings":[]}', '{"contents":[]}'],
    [
      '{"contents":[],"generationConfig":{"topK":1,"seed": 9e99}}',
      '{"contents":[],"generationConfig":{"seed": 9e99}}',
    ],
    ['{"generation_config":{"top_k":1},"contents":[]}', '{"generation_config":{},"contents":[]}'],
    ['{"generationConfig":null,"contents":[]}', '{"generationConfig":null,"contents":[]}'],
  ])('%s is sent without dropped fields', (text, sent) => {
    expect(splice(text, { drop: ['topK', 'safety_settings'] })).toBe(sent);
  });

  test("a verbatim request is sent without other vendors' signatures and reasoning", () => {
    const parts = [
      { text: 'Plan.', thought: true, thoughtSignature: 'am:EqQB' },
      { text: 'Own.', thought: true, thought_signature: 'Q2lR' },
      { thoughtSignature: 'or:x' },
      { text: 'a', thought_signature: 'am:x', partMetadata: { n: 1 } },
      { function_call: { name: 'f', args: {} }, thoughtSignature: 'am:y' },
      { functionCall: { name: 'g', args: {} } },
    ];
    const contents = [
      { role: 'user', parts: [{ text: 'x' }] },
      { role: 'model', parts },
    ];
    const text = JSON.stringify({ contents, generationConfig: {} });
    const kept = (first: object) => [
      contents[0],
      {
        role: 'model',
        parts: [
          parts[1],
          { text: 'a', partMetadata: { n: 1 } },
          { function_call: { name: 'f', args: {} }, ...first },
          parts[5],
        ],
      },
    ];
    expect(JSON.parse(splice(text, {}, true)).contents).toEqual(kept({ thoughtSignature: standIn }));
    expect(JSON.parse(splice(text, { model: older }, true)).contents).toEqual(kept({}));
    expect(splice(text)).toBe(text);
  });

  test("a verbatim token count is sent without other vendors' signatures", () => {
    const parts = [{ text: 'x', thoughtSignature: 'am:s' }];
    const text = JSON.stringify({ generateContentRequest: { contents: [{ role: 'model', parts }] } });
    expect(splice(text, {}, true)).toBe(
      '{"generateContentRequest":{"contents":[{"role":"model","parts":[{"text":"x"}]}]}}',
    );
  });

  test('a sanitized history keeps exact numbers and drops empty turns', () => {
    const text =
      '{"contents":[{"role":"model","parts":[{"text":"x","thought":true,"thoughtSignature":"am:s"}]},' +
      '{"parts":[{"functionResponse":{"name":"f","response":{"n":12345678901234567890}}}]}]}';
    expect(splice(text, {}, true)).toBe(
      '{"contents":[{"parts":[{"functionResponse":{"name":"f","response":{"n":12345678901234567890}}}]}]}',
    );
  });
});

describe('settings', () => {
  test('settings are sent under the names of this format', () => {
    expect(
      body({
        maxTokens: 256,
        temperature: 1.5,
        topP: 0.9,
        topK: 40,
        stop: ['END', ''],
        n: 2,
        seed: 7,
        presencePenalty: 0.5,
        frequencyPenalty: -0.5,
        modalities: ['text', 'image'],
        serviceTier: 'flex',
        user: 'u',
        metadata: { a: 'b' },
        verbosity: 'low',
      }),
    ).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      serviceTier: 'flex',
      generationConfig: {
        candidateCount: 2,
        stopSequences: ['END'],
        maxOutputTokens: 256,
        temperature: 1.5,
        topP: 0.9,
        topK: 40,
        seed: 7,
        presencePenalty: 0.5,
        frequencyPenalty: -0.5,
        responseModalities: ['TEXT', 'IMAGE'],
      },
    });
  });

  test('absent settings and defaults are not sent', () => {
    expect(body({})).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] });
    expect(body({ presencePenalty: 0, seed: 2 ** 40, serviceTier: 'auto', stop: [] })).toEqual(body({}));
  });

  test('maxOutputTokens is capped at the limit, and dropped settings are not sent', () => {
    expect(body({ maxTokens: 9_000 }, { limits: { maxOutput: 4_000 } }).generationConfig).toEqual({
      maxOutputTokens: 4_000,
    });
    expect(
      body({ topK: 1, temperature: 0, serviceTier: 'flex' }, { drop: ['top_k', 'service_tier'] }),
    ).toEqual({
      ...body({}),
      generationConfig: { temperature: 0 },
    });
    expect(body({ topK: 1 }, { drop: ['topK'] })).toEqual(body({}));
  });

  test('extensions of this format are sent, those of other formats are not', () => {
    const safetySettings = [{ category: 'HARM_CATEGORY_HATE_SPEECH', threshold: 'BLOCK_ONLY_HIGH' }];
    const own = {
      safetySettings,
      cachedContent: 'cachedContents/x',
      generationConfig: { imageConfig: { aspectRatio: '1:1' } },
      toolConfig: { retrievalConfig: { languageCode: 'no' } },
    };
    expect(
      body({
        temperature: 0,
        tools: [tool],
        toolChoice: { type: 'auto' },
        extensions: { 'generate-content': own, chat: { prediction: {} } },
      }),
    ).toMatchObject({
      safetySettings,
      cachedContent: 'cachedContents/x',
      generationConfig: { imageConfig: { aspectRatio: '1:1' }, temperature: 0 },
      toolConfig: { retrievalConfig: { languageCode: 'no' }, functionCallingConfig: { mode: 'AUTO' } },
    });
  });

  test.each<[string, Partial<GenerateRequest>, string]>([
    ['too many choices', { n: 9 }, 'n'],
    ['too many stop sequences', { stop: ['1', '2', '3', '4', '5', '6'] }, 'stop'],
    ['zero output tokens', { maxTokens: 0 }, 'maxTokens'],
    ['log probabilities', { logprobs: {} }, 'logprobs'],
    ['logit biases', { logitBias: { 1: 2 } }, 'logitBias'],
  ])('%s are refused', (_what, request, path) => {
    expect(refused(request)).toMatchObject({ kind: 'invalid-request', path });
  });

  test('MCP servers of another vendor are refused', () => {
    const error = refused({ extensions: { messages: { mcp_servers: [{}] } } });
    expect(error).toMatchObject({ kind: 'invalid-request', param: 'mcp_servers' });
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

describe('thinking', () => {
  const flash = 'gemini-3.6-flash';
  const pro = 'gemini-2.5-pro';

  test.each<[Reasoning, string, object | undefined]>([
    [{ effort: 'none' }, newest, { includeThoughts: false, thinkingLevel: 'LOW' }],
    [{ effort: 'none' }, flash, { includeThoughts: false, thinkingLevel: 'MINIMAL' }],
    [{ effort: 'none' }, older, { includeThoughts: false, thinkingBudget: 0 }],
    [{ effort: 'none' }, pro, { includeThoughts: false, thinkingBudget: 128 }],
    [{ effort: 'minimal' }, newest, { thinkingLevel: 'LOW' }],
    [{ effort: 'minimal' }, flash, { thinkingLevel: 'MINIMAL' }],
    [{ effort: 'minimal' }, older, { thinkingBudget: 512 }],
    [{ effort: 'low' }, newest, { thinkingLevel: 'LOW' }],
    [{ effort: 'low' }, older, { thinkingBudget: 1_024 }],
    [{ effort: 'medium' }, newest, { thinkingLevel: 'HIGH' }],
    [{ effort: 'medium' }, flash, { thinkingLevel: 'MEDIUM' }],
    [{ effort: 'medium' }, 'some-alias', { thinkingLevel: 'MEDIUM' }],
    [{ effort: 'high' }, older, { thinkingBudget: 16_384 }],
    [{ effort: 'max' }, older, { thinkingBudget: 24_576 }],
    [{ effort: 'max' }, pro, { thinkingBudget: 32_768 }],
    [{ effort: 'xhigh' }, newest, { thinkingLevel: 'HIGH' }],
    [{ budget: 2_000 }, older, { includeThoughts: true, thinkingBudget: 2_000 }],
    [{ budget: 50 }, 'gemini-2.5-flash-lite', { includeThoughts: true, thinkingBudget: 512 }],
    [{ budget: 50_000 }, older, { includeThoughts: true, thinkingBudget: 24_576 }],
    [{ budget: 2_000 }, flash, { includeThoughts: true, thinkingLevel: 'MEDIUM' }],
    [{ budget: -1 }, older, { includeThoughts: true, thinkingBudget: -1 }],
    [{ budget: -1, show: true }, newest, { includeThoughts: true }],
    [{ budget: 0 }, older, { includeThoughts: false, thinkingBudget: 0 }],
    [{ adaptive: true, show: true }, older, { includeThoughts: true, thinkingBudget: -1 }],
    [{ adaptive: true }, newest, undefined],
    [{ adaptive: true, show: false }, newest, { includeThoughts: false }],
    [{ effort: 'high', show: false }, newest, { includeThoughts: false, thinkingLevel: 'HIGH' }],
    [{ effort: 'low', show: true }, newest, { includeThoughts: true, thinkingLevel: 'LOW' }],
    [{ show: true }, older, { includeThoughts: true }],
    [{ effort: 'high' }, 'gemini-2.0-flash', undefined],
    [{}, newest, undefined],
  ])('reasoning %j on %s becomes a thinkingConfig', (reasoning, model, thinkingConfig) => {
    expect(config({ reasoning }, model)?.thinkingConfig).toEqual(thinkingConfig);
  });
});
