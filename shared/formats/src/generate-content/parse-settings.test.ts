import { rows } from '@model-gateway/canonical/testing/rows';
import { expect, test } from 'vitest';
import { canonical } from '../testing/parsed-request.ts';
import { generateContentFields } from './fields.ts';

/** The fields beside the messages. */
const settings = (fields: object) => {
  const { messages: _, userFirst: __, ...rest } = canonical(fields);
  return rest;
};

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
  const googleSearch = { excludeDomains: ['a.example'] };
  const functionDeclarations = [{ name: 'f', description: 'd' }];
  expect(canonical({ tools: [{ functionDeclarations, googleSearch, codeExecution: {} }] }).tools).toEqual([
    { type: 'function', name: 'f', description: 'd' },
    { type: 'web-search', own: { format: 'generate-content', value: { googleSearch } } },
    { type: 'opaque', format: 'generate-content', value: { codeExecution: {} } },
  ]);
});

test.each(
  rows<[object, object]>`
  - - {type: STRING, nullable: true, format: date, example: x}
    - {type: [string, 'null'], format: date, examples: [x]}
  - [{type: ARRAY, items: {type: INTEGER}, minItems: '1'}, {type: array, items: {type: integer}, minItems: 1}]
  - - {anyOf: [{type: NUMBER}, {type: BOOLEAN}], nullable: true}
    - {anyOf: [{type: number}, {type: boolean}, {type: 'null'}]}
  - [{type: [STRING, 'NULL']}, {type: [string, 'null']}]
  - - {type: OBJECT, properties: {type: {type: STRING, enum: [A], nullable: true}}, required: [type], propertyOrdering: [type]}
    - {type: object, properties: {type: {type: [string, 'null'], enum: [A, null]}}, required: [type]}
`,
)('a schema in Google’s dialect becomes JSON Schema', (given, expected) => {
  const parameters = { type: 'OBJECT', properties: { a: given } };
  const [tool] = canonical({ tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] }).tools ?? [];
  expect(tool).toEqual({
    ...{ type: 'function', name: 'f' },
    parameters: { type: 'object', properties: { a: expected } },
  });
});

test.each(
  rows<[object, object]>`
  - - {temperature: 0.5, topP: 0.9, presencePenalty: 1, frequencyPenalty: -1}
    - {temperature: 0.5, topP: 0.9, presencePenalty: 1, frequencyPenalty: -1}
  - - {candidateCount: '2', maxOutputTokens: '9', topK: 40, seed: 7, responseLogprobs: true, logprobs: 3}
    - {n: 2, maxTokens: 9, topK: 40, seed: 7, logprobs: {top: 3}}
  - [{stopSequences: [END], responseModalities: [TEXT, IMAGE]}, {stop: [END], modalities: [text, image]}]
  - [{responseMimeType: text/plain}, {}]
  - [{responseMimeType: application/json, responseSchema: {type: ARRAY}}, {output: {type: schema, schema: {type: array}}}]
  - [{responseMimeType: application/json, responseJsonSchema: {$ref: '#'}}, {output: {type: schema, schema: {$ref: '#'}}}]
  - [{responseMimeType: application/json, _responseJsonSchema: {a: 1}}, {output: {type: schema, schema: {a: 1}}}]
`,
)('the settings %j are mapped', (generationConfig, expected) => {
  expect(settings({ generationConfig })).toEqual(expected);
});

test.each(
  rows<[object, object?]>`
  - [{thinkingBudget: 0, includeThoughts: true}, {effort: none}]
  - [{thinkingBudget: -1}, {adaptive: true, show: false}]
  - [{thinkingBudget: 4096, includeThoughts: true}, {budget: 4096, show: true}]
  - [{thinkingLevel: HIGH}, {effort: high, show: false}]
  - [{thinkingLevel: minimal, includeThoughts: false}, {effort: minimal, show: false}]
  - [{includeThoughts: true}, {adaptive: true, show: true}]
  - [{includeThoughts: false}]
  - [{thinkingLevel: THINKING_LEVEL_UNSPECIFIED}]
  - [{}]
`,
)('the thinkingConfig %j is mapped', (thinkingConfig, reasoning) => {
  expect(canonical({ generationConfig: { thinkingConfig } }).reasoning).toEqual(reasoning);
});

test.each([
  ['flex', 'flex'],
  ['STANDARD', 'default'],
  ['Priority', 'priority'],
  ['batch', 'batch'],
])('the service tier %s becomes %s', (serviceTier, expected) => {
  expect(settings({ serviceTier })).toEqual({ serviceTier: expected });
});

test('settings that only this format has become extensions', () => {
  const own = {
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }],
    labels: { a_b: 'c' },
    toolConfig: { retrievalConfig: { languageCode: 'en' } },
    generationConfig: { speechConfig: { languageCode: 'en' }, mediaResolution: 'MEDIA_RESOLUTION_LOW' },
  };
  const toolConfig = { ...own.toolConfig, functionCallingConfig: { mode: 'AUTO' } };
  const { extensions } = canonical({ ...own, toolConfig, model: 'models/m' });
  expect(extensions).toEqual({ 'generate-content': own });
});

/** A value of each field of the table. */
const samples: Record<string, unknown> = {
  contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  tools: [{ functionDeclarations: [{ name: 'f' }] }],
  toolConfig: { functionCallingConfig: { mode: 'ANY' } },
  'generationConfig.maxOutputTokens': 9,
  'generationConfig.temperature': 0,
  'generationConfig.topP': 0.5,
  'generationConfig.topK': 3,
  'generationConfig.stopSequences': ['END'],
  'generationConfig.thinkingConfig': { thinkingBudget: 5 },
  'generationConfig.responseJsonSchema': { type: 'object' },
  'generationConfig.responseMimeType': 'application/json',
  'generationConfig.candidateCount': 2,
  'generationConfig.seed': 7,
  'generationConfig.presencePenalty': 1,
  'generationConfig.frequencyPenalty': 1,
  'generationConfig.responseLogprobs': true,
  'generationConfig.responseModalities': ['TEXT'],
};

test.each(Object.entries(generateContentFields.paths))('the field %s is read as %s alone', (name, path) => {
  const [field = '', member] = name.split('.');
  const json = path === 'output' ? { responseMimeType: 'application/json' } : {};
  const value = member === undefined ? samples[name] : { ...json, [member]: samples[name] };
  const request = canonical({ [field]: value });
  expect(request).toHaveProperty(path);
  expect(request).not.toHaveProperty('extensions');
});
