import type { Message } from '@model-gateway/canonical';
import { refusal } from '@model-gateway/canonical/testing/events';
import { failed, result, system, tells, user as userTurn } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import type { ParsedCount } from '../client/parsed-request.ts';
import { camelCase, camelCased } from '../index.ts';
import { testFixtures, unusual } from '../testing/fixtures.ts';
import { canonical, failure, hi, model, parsed, path, turns, user } from '../testing/parsed-request.ts';
import { generateContentFields } from './fields.ts';
import { parseCount, parseStreamed, parseWhole } from './parse.ts';

testFixtures(import.meta.dirname, 'parse', (fields: object) => unusual(canonical(fields), canonical({})));

describe('the URL', () => {
  test.each([
    ['/v1beta/models/gemini-3:generateContent', 'gemini-3'],
    ['/v1/models/house/llama3.1:8b:generateContent', 'house/llama3.1:8b'],
    ['/v1beta/house/llama3.1:8b:generateContent', 'house/llama3.1:8b'],
    ['/v1beta/tunedModels/t1:generateContent', 'tunedModels/t1'],
    ['/v1/models/house%2Fllama%3A8b:generateContent?key=a&alt=json', 'house/llama:8b'],
    ['/v1alpha/models/m:generateContent?$alt=json;enum-encoding=int&fields=x&prettyPrint=false', 'm'],
  ])('the URL %s names the model %s', (url, name) => {
    expect(parsed(hi, url)).toMatchObject({ model: name, stream: false });
  });

  test.each(['?alt=proto', '?alt=media', '?$alt=proto'])('the query %s is rejected', query => {
    expect(refusal(() => parsed(hi, path + query))).toMatchObject({ kind: 'invalid-request', param: 'alt' });
  });

  test('a model name with invalid percent-encoding is rejected', () => {
    expect(() => parsed(hi, '/v1/models/%E0%A4%A:generateContent')).toThrow('percent-encoding');
  });

  test.each([
    ['', true],
    ['?alt=json', true],
    ['?alt=sse', false],
    ['?key=a&alt=sse', false],
    ['?$alt=sse;x=1', false],
  ])('a stream with the query %j is a JSON array: %s', (query, array) => {
    const url = `/v1/models/m:streamGenerateContent${query}`;
    const request = parseStreamed(hi, {}, Buffer.from(JSON.stringify(hi)), url);
    expect(request).toMatchObject({ stream: true });
    expect('framing' in request).toBe(array);
  });
});

describe('a malformed field is named in the error', () => {
  test('a request without contents is rejected', () => {
    expect(refusal(() => parsed({}))).toMatchObject({ param: 'contents' });
  });

  test.each(
    rows<[object, string, string]>`
    - [{contents: []}, contents, contents is not specified]
    - [{contents: null}, contents, contents is not specified]
    - [{contents: 5}, contents, expected an array]
    - [{contents: [5]}, 'contents[0]', expected an object]
    - [{contents: [{role: user}]}, 'contents[0].parts', Missing required parameter]
    - [{contents: [{parts: []}]}, 'contents[0].parts', empty array]
    - [{generationConfig: {temperature: 3}}, generationConfig.temperature, at most 2]
    - [{generation_config: {max_output_tokens: 0}}, generationConfig.maxOutputTokens, at least 1]
    - [{generationConfig: {topP: x}}, generationConfig.topP, expected a number]
    - [{generationConfig: []}, generationConfig, expected an object]
    - [{tools: [5]}, 'tools[0]', expected an object]
  `,
  )('%j is rejected with the name of the field', (fields, param, message) => {
    const error = { param, message: expect.stringContaining(message) };
    expect(refusal(() => parsed({ ...hi, ...fields }))).toMatchObject(error);
  });

  const call = { functionCall: { name: 'f' } };
  const result = { functionResponse: { name: 'f', response: {} } };
  const contents = (...turns: object[]) => ({ contents: turns });
  test.each([
    [contents(user({})), 'contents[0].parts[0]'],
    [contents(user({ text: 'a', ...call })), 'contents[0].parts[0]'],
    [contents(user(call)), 'contents[0].parts[0].functionCall'],
    [contents(user({ text: 'a' }), model(result)), 'contents[1].parts[0].functionResponse'],
    [contents(user(result)), 'contents[0].parts[0].functionResponse'],
    [
      contents(user({ text: 'a' }), model(call), user(result, result)),
      'contents[2].parts[1].functionResponse',
    ],
    ...rows<[object, string]>`
    - [{contents: [{role: system, parts: [{text: a}]}]}, 'contents[0].role']
    - [{contents: [{parts: [{inlineData: {mimeType: video/mp4, data: AA==}}]}]}, 'contents[0].parts[0].inlineData']
    - [{contents: [{parts: [{fileData: {fileUri: 'https://www.youtube.com/watch?v=1'}}]}]}, 'contents[0].parts[0].fileData']
    - [{cachedContent: cachedContents/1}, cachedContent]
    - [{continuationToken: x}, continuationToken]
    - [{generationConfig: {thinkingConfig: {thinkingBudget: 1, thinkingLevel: LOW}}}, generationConfig.thinkingConfig]
    - [{generationConfig: {thinkingConfig: {thinkingLevel: X}}}, generationConfig.thinkingConfig.thinkingLevel]
    - [{generationConfig: {responseMimeType: text/x.enum, responseSchema: {}}}, generationConfig.responseMimeType]
    - [{generationConfig: {responseSchema: {}}}, generationConfig.responseMimeType]
    - [{generationConfig: {responseFormat: [{image: {aspectRatio: '1:1'}}]}}, generationConfig.responseFormat]
    - [{generationConfig: {responseFormat: [{text: {}}, {audio: {}}]}}, generationConfig.responseFormat]
    - [{generationConfig: {responseFormat: [{text: {mimeType: text/plain, schema: {}}}]}}, generationConfig.responseMimeType]
    - [{generationConfig: {responseMimeType: application/json, responseSchema: {}, responseJsonSchema: {}}}, generationConfig]
    - [{toolConfig: {functionCallingConfig: {mode: AUTO, allowedFunctionNames: [f]}}}, toolConfig.functionCallingConfig.allowedFunctionNames]
    - [{tools: [{functionDeclarations: [{description: x}]}]}, 'tools[0].functionDeclarations[0].name']
    - [{tools: [{functionDeclarations: [{name: f, parameters: {}, parametersJsonSchema: {}}]}]}, 'tools[0].functionDeclarations[0].parameters']
  `,
  ])('%j is rejected when the request is translated', (fields, param) => {
    expect(failure(fields)).toMatchObject({ kind: 'invalid-request', param });
  });
});

test('camelCase and snake_case are equivalent except in user-defined objects', () => {
  const inner = { snake_case: { deep_er: 1 } };
  const parameters = { type: 'OBJECT', properties: { max_items: { type: 'ARRAY', maxItems: 3 } } };
  const camel = {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      user({ inlineData: { mimeType: 'image/png', data: 'iVBO' } }, { text: 'What?' }),
      model({ functionCall: { id: 'c', name: 'f', args: inner } }),
      user({ functionResponse: { id: 'c', name: 'f', response: { out_put: 1, x_y: 2 } } }),
    ],
    tools: [
      {
        functionDeclarations: [
          { name: 'f', parameters },
          { name: 'g', parametersJsonSchema: { type: 'object', properties: { any_of: {} }, x_y: 1 } },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    generationConfig: {
      ...{ maxOutputTokens: 5, topK: 3, responseMimeType: 'application/json' },
      responseSchema: { anyOf: [{ type: 'STRING' }] },
      thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' },
    },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }],
  };
  const own = new Set(['args', 'response', 'parametersJsonSchema']);
  const snake = (value: unknown, keep = false): unknown => {
    if (Array.isArray(value)) return value.map(item => snake(item));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, inner]) => [
      keep ? key : key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`),
      !keep && own.has(key) ? inner : snake(inner, !keep && key === 'properties'),
    ]);
    return Object.fromEntries(entries);
  };
  const spelled = snake(camel) as object;
  expect(JSON.stringify(spelled)).toContain('max_output_tokens');
  expect(canonical(spelled)).toEqual(canonical(camel));
  expect(canonical(camel)).toMatchObject({
    maxTokens: 5,
    tools: [{ parameters: { properties: { max_items: { type: 'array', maxItems: 3 } } } }, { name: 'g' }],
  });
});

describe('an enum', () => {
  const [[inNumbers, inNames]] = rows<[object, object]>`
  - - generationConfig:
        responseModalities: [1, 2]
        mediaResolution: 1
        thinkingConfig: {thinkingLevel: 1}
        responseMimeType: application/json
        responseSchema: {type: 6, properties: {a: {type: 1}, b: {type: 5, items: {type: 3, nullable: true}}}}
      tools: [{functionDeclarations: [{name: f, parameters: {type: 6, properties: {n: {type: 2}}}}]}]
      toolConfig: {functionCallingConfig: {mode: 2}}
      safetySettings: [{category: 8, threshold: 5, method: 1}]
    - generationConfig:
        responseModalities: [TEXT, IMAGE]
        mediaResolution: MEDIA_RESOLUTION_LOW
        thinkingConfig: {thinkingLevel: LOW}
        responseMimeType: application/json
        responseSchema: {type: OBJECT, properties: {a: {type: STRING}, b: {type: ARRAY, items: {type: INTEGER, nullable: true}}}}
      tools: [{functionDeclarations: [{name: f, parameters: {type: OBJECT, properties: {n: {type: NUMBER}}}}]}]
      toolConfig: {functionCallingConfig: {mode: ANY}}
      safetySettings: [{category: HARM_CATEGORY_HATE_SPEECH, threshold: 'OFF', method: SEVERITY}]
  ` as [[object, object]];

  test('an enum may be a number and is translated by its name', () => {
    expect(canonical(inNumbers)).toEqual(canonical(inNames));
    expect(canonical(inNumbers)).toMatchObject({
      ...{ toolChoice: { type: 'required' }, reasoning: { effort: 'low' }, modalities: ['text', 'image'] },
      output: { schema: { type: 'object', properties: { b: { items: { type: ['integer', 'null'] } } } } },
    });
  });

  test('an unknown enum number is rejected only when the request is translated', () => {
    const unknown = { toolConfig: { functionCallingConfig: { mode: 99 } } };
    expect(() => parsed({ ...hi, ...unknown })).not.toThrow();
    expect(failure(unknown)?.message).toContain("'toolConfig.functionCallingConfig.mode'");
    expect(() => parsed({ ...hi, generationConfig: { mediaResolution: 4 } })).not.toThrow();
  });
});

test('a minimal request has only the fields that were set', () => {
  const minimal = { messages: [userTurn('Hi')], userFirst: true };
  expect(canonical({ generationConfig: {}, tools: [], safetySettings: null })).toEqual(minimal);
});

test('numbers of any length are kept in arguments, results and schemas of either spelling', () => {
  const number = '12345678901234567890';
  const text = `{"contents":[{"parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{"n":${number},"f":1.0}}}]},
    {"parts":[{"functionResponse":{"name":"f","response":{"n":${number}}}}]}],
    "tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT","properties":{"n":{"maximum":${number}}}}}]}],
    "generation_config":{"temperature":1.0,"response_mime_type":"application/json","response_json_schema":{"maximum":${number}}}}`;
  const sent = JSON.stringify(parsed(text).canonical());
  expect(sent.split(number)).toHaveLength(5);
  expect(sent).toContain('\\"f\\":1.0');
  expect(canonical(text).temperature).toBe(1);
});

const tag = Buffer.from('am:EqQB').toString('base64');
const call = (id: string, more = {}) => ({ functionCall: { id, name: 'f', args: {} }, ...more });
test.each([
  [false, call('x1')],
  [false, call('call_1', { thoughtSignature: 'Cgl+' })],
  [true, call('x1', { thoughtSignature: tag })],
  [true, call('toolu_1')],
  [true, { text: 'a', thought: true, thought_signature: tag }],
  [true, { text: '' }],
  [true, { inlineData: { mimeType: 'image/jpeg', data: 'iVBORw0KGgoAAAANSUhEUg==' } }],
  [true, { inlineData: { mimeType: 'image/png', data: 'iVBO\nRw0K' } }],
  [false, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUg==' } }],
])('a history is foreign: %s, with %j', (foreign, part) => {
  expect(parsed({ contents: [user({ text: 'x' }), model(part)] })).toHaveProperty('foreign', foreign);
});

describe('one value stands for a list of one, and a text for a part or a content', () => {
  const declaration = { name: 'f', description: 'd' };
  const list = {
    contents: [user({ text: 'Hi' })],
    tools: [{ functionDeclarations: [declaration] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    generationConfig: { stopSequences: ['END'], responseModalities: ['TEXT'] },
  };
  const expected = canonical(list);

  test.each<[string, object]>([
    ['contents', { contents: user({ text: 'Hi' }) }],
    ['parts', { contents: [{ role: 'user', parts: { text: 'Hi' } }] }],
    ['contents and parts', { contents: { parts: { text: 'Hi' } } }],
    ['a text as contents', { contents: 'Hi' }],
    ['a text as a content', { contents: ['Hi'] }],
    ['a text as parts', { contents: { role: 'user', parts: 'Hi' } }],
    ['a text as a part', { contents: [user('Hi')] }],
    ['tools', { tools: { functionDeclarations: [declaration] } }],
    ['declarations', { tools: { function_declarations: declaration } }],
    ['allowed names', { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: 'f' } } }],
    ['settings', { generationConfig: { stopSequences: 'END', responseModalities: 'TEXT' } }],
  ])('%s', (_what, fields) => {
    expect(canonical({ ...list, ...fields })).toEqual(expected);
  });
});

test.each<[unknown, object]>([
  [
    [{ text: { mimeType: 'application/json', schema: { type: 'object', properties: { a_b: {} } } } }],
    {
      type: 'schema',
      schema: { type: 'object', properties: { a_b: {} } },
    },
  ],
  [
    { text: { mime_type: 'APPLICATION_JSON', schema: { $defs: { my_def: {} } } } },
    {
      type: 'schema',
      schema: { $defs: { my_def: {} } },
    },
  ],
  [[{ text: { schema: { maximum: 5 } } }], { type: 'schema', schema: { maximum: 5 } }],
  [[{ text: { mimeType: 'application/json' } }], { type: 'json' }],
])('the format of the response %j is carried', (responseFormat, output) => {
  expect(canonical({ generationConfig: { responseFormat } }).output).toEqual(output);
});

test.each([[[]], [[{ text: { mimeType: 'text/plain' } }]]])('the format %j is plain text', responseFormat => {
  expect(canonical({ generation_config: { response_format: responseFormat } })).not.toHaveProperty('output');
});

test.each([
  [{ generationConfig: { maxOutputTokens: 70 } }, 70],
  [{ generation_config: { max_output_tokens: 70 } }, 70],
  [{ generationConfig: { max_output_tokens: '70', candidate_count: 2 } }, 140],
  [{ generationConfig: { maxOutputTokens: null } }, undefined],
  [{}, undefined],
])('the most output of %j is %s', (fields, tokens) => {
  expect(parsed({ ...hi, ...fields })).toMatchObject({ maxTokens: tokens });
});

describe('contents', () => {
  describe('calls and their results', () => {
    const calls = (name: string, id?: string) => ({ functionCall: { name, args: {}, ...(id && { id }) } });
    const after = (called: object[], ...contents: object[]): Message[] =>
      turns(user({ text: 'x' }), model(...called), ...contents).slice(1);

    test.each(
      rows<[object, string, true?]>`
    - [{output: 4 C}, 4 C]
    - [{result: 4 C}, 4 C]
    - [{name: f, content: 4 C}, 4 C]
    - [{name: f, error: offline}, offline, true]
    - [{error: {code: 1}}, '{"code":1}', true]
    - [{output: {t: 4}}, '{"t":4}']
    - [{t: 4, unit: C}, '{"t":4,"unit":"C"}']
    - [{output: x, more: 1}, '{"output":"x","more":1}']
    - [{name: Ann}, '{"name":"Ann"}']
  `,
    )('the function response %j has the text %j', (response, text, error) => {
      const answer = result('call_1_0', text);
      const [, tool] = after([calls('f')], user({ functionResponse: { name: 'f', response } }));
      expect(tool).toEqual(tells(error ? failed(answer) : answer));
    });
  });
});

describe('settings', () => {
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
  ])('the service tier %s becomes %s', (serviceTier, expected) => {
    expect(settings({ serviceTier })).toEqual({ serviceTier: expected });
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
});

describe('what a request asks for beside tokens', () => {
  function extrasOf(fields: object) {
    const body = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], ...fields };
    const text = Buffer.from(JSON.stringify(body));
    const parsed = parseWhole(body, {}, text, '/v1beta/models/m:generateContent');
    return 'extras' in parsed ? parsed.extras : undefined;
  }

  test.each([
    [{}],
    [{ tools: [{ functionDeclarations: [{ name: 'f' }] }, { computerUse: {} }, { googleSearch: null }] }],
    [{ serviceTier: 'standard' }],
  ])('%j asks for nothing beside tokens', fields => {
    expect(extrasOf(fields)).toBeUndefined();
  });

  test.each([
    [{ tools: [{ googleSearch: {} }] }, { name: 'web_search', field: 'tools' }],
    [{ tools: [{ google_search: {} }] }, { name: 'web_search', field: 'tools' }],
    [{ tools: [{ codeExecution: {} }] }, { name: 'code_execution', field: 'tools', own: true }],
    [{ tools: [{ urlContext: {} }] }, { name: 'url_context', field: 'tools', own: true }],
  ])('%j asks for a hosted tool', (fields, expected) => {
    expect(extrasOf(fields)).toEqual({ format: 'generate-content', tools: [expected] });
  });

  test.each(['priority', 'flex', 'PRIORITY'])('the service tier %s is not the usual one', serviceTier => {
    expect(extrasOf({ serviceTier })).toEqual({
      format: 'generate-content',
      tier: serviceTier.toLowerCase(),
    });
  });
});

describe('a token count', () => {
  const url = '/v1beta/models/m:countTokens';
  const parsed = (body: Record<string, unknown>) =>
    parseCount(body, {}, Buffer.from(JSON.stringify(body)), url) as ParsedCount;

  const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
  const systemInstruction = { parts: [{ text: 'Be brief.' }] };
  const brief = { messages: [system('Be brief.'), userTurn('Hello')] };
  const tools = [{ functionDeclarations: [{ name: 'f' }] }];

  test.each([
    [{ contents }, { messages: [userTurn('Hello')] }],
    [{ generateContentRequest: { model: 'models/m', contents, systemInstruction } }, brief],
    [{ generate_content_request: { contents, system_instruction: systemInstruction } }, brief],
    [
      { generateContentRequest: { contents, tools } },
      { messages: [userTurn('Hello')], tools: [{ type: 'function', name: 'f' }] },
    ],
  ])('a token count accepts contents, or a whole request in either spelling: %j', (body, request) => {
    expect(parsed(body).canonical()).toEqual({ ...request, userFirst: true });
  });

  test.each([
    [{}, 'contents'],
    [{ contents, generateContentRequest: { contents } }, 'contents'],
    [{ contents: [{ role: 'user' }] }, 'contents[0].parts'],
    [{ generateContentRequest: {} }, 'generateContentRequest.contents'],
  ])('%j is rejected', (body, param) => {
    expect(refusal(() => parsed(body))).toMatchObject({ kind: 'invalid-request', param });
  });
});

describe('the case of names', () => {
  test.each([
    ['system_instruction', 'systemInstruction'],
    ['systemInstruction', 'systemInstruction'],
    ['_responseJsonSchema', '_responseJsonSchema'],
    ['top_p', 'topP'],
    ['x', 'x'],
  ])('camelCase converts %s to %s', (spelled, name) => {
    expect(camelCase(spelled)).toBe(name);
  });

  test('camelCased keeps the case of user data at any depth', () => {
    expect(
      camelCased({
        contents: [{ parts: [{ function_call: { name: 'a_b', args: { my_key: { in_it: 1 } } } }] }],
        generation_config: {
          response_schema: { properties: { my_key: { max_items: 1 } }, property_ordering: ['my_key'] },
        },
      }),
    ).toEqual({
      contents: [{ parts: [{ functionCall: { name: 'a_b', args: { my_key: { in_it: 1 } } } }] }],
      generationConfig: {
        responseSchema: { properties: { my_key: { maxItems: 1 } }, propertyOrdering: ['my_key'] },
      },
    });
  });

  test('camelCased keeps the first of two spellings of a field', () => {
    expect(camelCased({ top_k: 1, topK: 2 })).toEqual({ topK: 1 });
  });

  test('camelCased keeps raw JSON numbers', () => {
    const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
    expect(JSON.stringify(camelCased({ video_metadata: { fps: rawJSON('1.50') } }))).toBe(
      '{"videoMetadata":{"fps":1.50}}',
    );
  });
});
