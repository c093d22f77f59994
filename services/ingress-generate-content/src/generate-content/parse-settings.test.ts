import { describe, expect, test } from 'vitest';
import { canonical, config } from '../testing/parsed-request.ts';

describe('tools', () => {
  test.each([
    [{ mode: 'VALIDATED' }, { type: 'auto' }],
    [
      { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
      { type: 'auto', names: ['f'] },
    ],
    [{ mode: 'MODE_UNSPECIFIED' }, undefined],
    [{}, undefined],
  ])('the tool choice %j is mapped', (functionCallingConfig, expected) => {
    expect(canonical({ toolConfig: { functionCallingConfig } }).toolChoice).toEqual(expected);
  });

  test('one tools entry gives functions, the web search and tools that the vendor runs', () => {
    const entry = {
      functionDeclarations: [{ name: 'f', description: 'd' }],
      googleSearch: { excludeDomains: ['a.example'] },
      codeExecution: {},
    };
    expect(canonical({ tools: [entry] }).tools).toEqual([
      { type: 'function', name: 'f', description: 'd' },
      {
        type: 'web-search',
        own: { format: 'generate-content', value: { googleSearch: { excludeDomains: ['a.example'] } } },
      },
      { type: 'opaque', format: 'generate-content', value: { codeExecution: {} } },
    ]);
  });

  test('a schema in Google’s dialect becomes JSON Schema', () => {
    const parameters = {
      type: 'OBJECT',
      properties: {
        a: { type: 'STRING', nullable: true, format: 'date', example: 'x' },
        b: { type: 'ARRAY', items: { type: 'INTEGER' }, minItems: '1' },
        c: { anyOf: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }], nullable: true },
        d: { type: ['STRING', 'NULL'] },
        type: { type: 'STRING', enum: ['A'], nullable: true },
      },
      required: ['a'],
      propertyOrdering: ['b', 'a'],
    };
    expect(canonical({ tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] }).tools).toEqual([
      {
        type: 'function',
        name: 'f',
        parameters: {
          type: 'object',
          properties: {
            a: { type: ['string', 'null'], format: 'date', examples: ['x'] },
            b: { type: 'array', items: { type: 'integer' }, minItems: 1 },
            c: { anyOf: [{ type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
            d: { type: ['string', 'null'] },
            type: { type: ['string', 'null'], enum: ['A', null] },
          },
          required: ['a'],
        },
      },
    ]);
  });
});

describe('settings', () => {
  test('settings that all formats have are mapped', () => {
    const generationConfig = {
      candidateCount: '2',
      stopSequences: ['END'],
      maxOutputTokens: '9',
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      seed: 7,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      responseLogprobs: true,
      logprobs: 3,
      responseModalities: ['TEXT', 'IMAGE'],
    };
    const { messages: _, userFirst: __, ...settings } = config(generationConfig);
    expect(settings).toEqual({
      n: 2,
      stop: ['END'],
      maxTokens: 9,
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      seed: 7,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      logprobs: { top: 3 },
      modalities: ['text', 'image'],
    });
  });

  test.each([
    [{ thinkingBudget: 0, includeThoughts: true }, { effort: 'none' }],
    [{ thinkingBudget: -1 }, { adaptive: true, show: false }],
    [
      { thinkingBudget: 4096, includeThoughts: true },
      { budget: 4096, show: true },
    ],
    [{ thinkingLevel: 'HIGH' }, { effort: 'high', show: false }],
    [
      { thinkingLevel: 'minimal', includeThoughts: false },
      { effort: 'minimal', show: false },
    ],
    [{ includeThoughts: true }, { adaptive: true, show: true }],
    [{ includeThoughts: false }, undefined],
    [{ thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' }, undefined],
    [{}, undefined],
  ])('the thinkingConfig %j is mapped', (thinkingConfig, reasoning) => {
    expect(config({ thinkingConfig }).reasoning).toEqual(reasoning);
  });

  const json = { responseMimeType: 'application/json' };
  test.each([
    [{ responseMimeType: 'text/plain' }, undefined],
    [
      { ...json, responseSchema: { type: 'ARRAY' } },
      { type: 'schema', schema: { type: 'array' } },
    ],
    [
      { ...json, responseJsonSchema: { $ref: '#' } },
      { type: 'schema', schema: { $ref: '#' } },
    ],
    [
      { ...json, _responseJsonSchema: { a: 1 } },
      { type: 'schema', schema: { a: 1 } },
    ],
  ])('the output format %j is mapped', (fields, output) => {
    expect(config(fields).output).toEqual(output);
  });

  test.each([
    ['flex', 'flex'],
    ['STANDARD', 'default'],
  ])('the service tier %s becomes %s', (serviceTier, expected) => {
    expect(canonical({ serviceTier }).serviceTier).toBe(expected);
  });

  test('settings that only this format has become extensions', () => {
    const own = {
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }],
      labels: { a_b: 'c' },
      toolConfig: { retrievalConfig: { languageCode: 'en' } },
      generationConfig: { speechConfig: { languageCode: 'en' }, mediaResolution: 'MEDIA_RESOLUTION_LOW' },
    };
    const functionCallingConfig = { mode: 'AUTO' };
    const toolConfig = { ...own.toolConfig, functionCallingConfig };
    expect(canonical({ ...own, toolConfig, model: 'models/m' }).extensions).toEqual({
      'generate-content': own,
    });
  });
});
