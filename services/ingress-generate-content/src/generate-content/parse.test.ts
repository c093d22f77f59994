import type { GenerateRequest } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { parseStreamed, parseWhole } from './parse.ts';

const path = '/v1beta/models/m:generateContent';
const hi = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };

function parsed(body: unknown, url = path) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const request = parseWhole(JSON.parse(text), {}, Buffer.from(text), url);
  if (!('canonical' in request)) throw new Error('not to be translated');
  return request;
}

/** As it crosses the bus. */
const canonical = (fields: object | string): GenerateRequest =>
  JSON.parse(JSON.stringify(parsed(typeof fields === 'string' ? fields : { ...hi, ...fields }).canonical()));
const turns = (...contents: unknown[]) => canonical({ contents }).messages;
const user = (...parts: unknown[]) => ({ role: 'user', parts });
const model = (...parts: unknown[]) => ({ role: 'model', parts });
const said = (...parts: unknown[]) => turns(user(...parts))[0]?.content;
const answered = (...parts: unknown[]) => turns(user({ text: 'x' }), model(...parts))[1]?.content;
const config = (fields: object) => canonical({ generationConfig: fields });
const failure = (fields: object) => {
  try {
    parsed({ ...hi, ...fields }).canonical();
  } catch (error) {
    return error as { kind: string; message: string; details: object };
  }
  return undefined;
};

describe('an enum', () => {
  const inNumbers = {
    generationConfig: {
      responseModalities: [1, 2],
      mediaResolution: 1,
      thinkingConfig: { thinkingLevel: 1 },
      responseMimeType: 'application/json',
      responseSchema: {
        type: 6,
        properties: { a: { type: 1 }, b: { type: 5, items: { type: 3, nullable: true } } },
      },
    },
    tools: [
      { functionDeclarations: [{ name: 'f', parameters: { type: 6, properties: { n: { type: 2 } } } }] },
    ],
    toolConfig: { functionCallingConfig: { mode: 2 } },
    safetySettings: [{ category: 8, threshold: 5, method: 1 }],
  };
  const inNames = {
    generationConfig: {
      responseModalities: ['TEXT', 'IMAGE'],
      mediaResolution: 'MEDIA_RESOLUTION_LOW',
      thinkingConfig: { thinkingLevel: 'LOW' },
      responseMimeType: 'application/json',
      responseSchema: {
        type: 'OBJECT',
        properties: {
          a: { type: 'STRING' },
          b: { type: 'ARRAY', items: { type: 'INTEGER', nullable: true } },
        },
      },
    },
    tools: [
      {
        functionDeclarations: [
          { name: 'f', parameters: { type: 'OBJECT', properties: { n: { type: 'NUMBER' } } } },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    safetySettings: [{ category: 'HARM_CATEGORY_HATE_SPEECH', threshold: 'OFF', method: 'SEVERITY' }],
  };

  test('may be written as a number, and is translated by its name', () => {
    expect(canonical(inNumbers)).toEqual(canonical(inNames));
    expect(canonical(inNumbers)).toMatchObject({
      toolChoice: { type: 'required' },
      reasoning: { effort: 'low' },
      modalities: ['text', 'image'],
      output: { schema: { type: 'object', properties: { b: { items: { type: ['integer', 'null'] } } } } },
    });
  });

  test('whose number is not known is refused only where it is to be translated', () => {
    const unknown = { toolConfig: { functionCallingConfig: { mode: 99 } } };
    expect(() => parsed({ ...hi, ...unknown })).not.toThrow();
    expect(failure(unknown)?.message).toContain("'toolConfig.functionCallingConfig.mode'");
    expect(() => parsed({ ...hi, generationConfig: { mediaResolution: 4 } })).not.toThrow();
  });
});

describe('the URL', () => {
  test.each([
    ['/v1beta/models/gemini-3:generateContent', 'gemini-3'],
    ['/v1/models/house/llama3.1:8b:generateContent', 'house/llama3.1:8b'],
    ['/v1beta/house/llama3.1:8b:generateContent', 'house/llama3.1:8b'],
    ['/v1beta/tunedModels/t1:generateContent', 'tunedModels/t1'],
    ['/v1/models/house%2Fllama%3A8b:generateContent?key=a&alt=json', 'house/llama:8b'],
    ['/v1alpha/models/m:generateContent?$alt=json;enum-encoding=int&fields=x&prettyPrint=false', 'm'],
  ])('%s names the model %s', (url, name) => {
    expect(parsed(hi, url)).toMatchObject({ model: name, stream: false });
  });

  test.each([
    ['?alt=proto', 'alt'],
    ['?alt=media', 'alt'],
    ['?$alt=proto', 'alt'],
  ])('%s is refused', (query, param) => {
    expect(() => parsed(hi, path + query)).toThrow(
      expect.objectContaining({ kind: 'invalid-request', details: { param } }),
    );
  });

  test('a name whose encoding is broken is refused', () => {
    expect(() => parsed(hi, '/v1/models/%E0%A4%A:generateContent')).toThrow('percent-encoding');
  });

  test.each([
    ['', true],
    ['?alt=json', true],
    ['?alt=sse', false],
    ['?key=a&alt=sse', false],
    ['?$alt=sse;x=1', false],
  ])('a stream with %j is an array: %s', (query, array) => {
    const url = `/v1/models/m:streamGenerateContent${query}`;
    const request = parseStreamed(hi, {}, Buffer.from(JSON.stringify(hi)), url);
    expect('framing' in request).toBe(array);
    expect(request).toMatchObject({ stream: true });
  });
});

test('a small request has what was set, and nothing else', () => {
  expect(canonical({ generationConfig: {}, tools: [], safetySettings: null })).toEqual({
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  });
});

describe('what is malformed is a 400 that names the field', () => {
  test.each([
    [{ contents: undefined }, 'contents', 'contents is not specified'],
    [{ contents: [] }, 'contents', 'contents is not specified'],
    [{ contents: null }, 'contents', 'contents is not specified'],
    [{ contents: 'Hi' }, 'contents', 'expected an array'],
    [{ contents: [{ role: 'user' }] }, 'contents[0].parts', 'Missing required parameter'],
    [{ contents: [{ parts: [] }] }, 'contents[0].parts', 'empty array'],
    [{ generationConfig: { temperature: 3 } }, 'generationConfig.temperature', 'at most 2'],
    [{ generation_config: { max_output_tokens: 0 } }, 'generationConfig.maxOutputTokens', 'at least 1'],
    [{ generationConfig: { topP: 'x' } }, 'generationConfig.topP', 'expected a number'],
    [{ generationConfig: [] }, 'generationConfig', 'expected an object'],
    [{ tools: {} }, 'tools', 'expected an array'],
  ])('%j', (fields, param, message) => {
    expect(() => parsed({ ...hi, ...fields })).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(message),
        details: expect.objectContaining({ param }),
      }),
    );
  });

  const call = { functionCall: { name: 'f' } };
  const result = { functionResponse: { name: 'f', response: {} } };
  test.each([
    [{ contents: [user({})] }, 'contents[0].parts[0]'],
    [{ contents: [user({ text: 'a', ...call })] }, 'contents[0].parts[0]'],
    [{ contents: [user(call)] }, 'contents[0].parts[0].functionCall'],
    [{ contents: [user({ text: 'a' }), model(result)] }, 'contents[1].parts[0].functionResponse'],
    [{ contents: [user(result)] }, 'contents[0].parts[0].functionResponse'],
    [
      { contents: [user({ text: 'a' }), model(call), user(result, result)] },
      'contents[2].parts[1].functionResponse',
    ],
    [{ contents: [{ role: 'system', parts: [{ text: 'a' }] }] }, 'contents[0].role'],
    [
      { contents: [user({ inlineData: { mimeType: 'video/mp4', data: 'AA==' } })] },
      'contents[0].parts[0].inlineData',
    ],
    [
      { contents: [user({ fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } })] },
      'contents[0].parts[0].fileData',
    ],
    [{ cachedContent: 'cachedContents/1' }, 'cachedContent'],
    [{ continuationToken: 'x' }, 'continuationToken'],
    [
      { generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'LOW' } } },
      'generationConfig.thinkingConfig',
    ],
    [
      { generationConfig: { thinkingConfig: { thinkingLevel: 'X' } } },
      'generationConfig.thinkingConfig.thinkingLevel',
    ],
    [
      { generationConfig: { responseMimeType: 'text/x.enum', responseSchema: {} } },
      'generationConfig.responseMimeType',
    ],
    [{ generationConfig: { responseSchema: {} } }, 'generationConfig.responseMimeType'],
    [
      {
        generationConfig: {
          responseMimeType: 'application/json',
          responseSchema: {},
          responseJsonSchema: {},
        },
      },
      'generationConfig',
    ],
    [
      { toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['f'] } } },
      'toolConfig.functionCallingConfig.allowedFunctionNames',
    ],
    [{ tools: [{ functionDeclarations: [{ description: 'x' }] }] }, 'tools[0].functionDeclarations[0].name'],
    [
      { tools: [{ functionDeclarations: [{ name: 'f', parameters: {}, parametersJsonSchema: {} }] }] },
      'tools[0].functionDeclarations[0].parameters',
    ],
  ])('once it is to be translated: %j', (fields, param) => {
    expect(failure(fields)).toMatchObject({ kind: 'invalid-request', details: { param } });
  });
});

describe('the two spellings', () => {
  test('mean the same everywhere, but in what is the user’s own', () => {
    const camel = {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        user({ inlineData: { mimeType: 'image/png', data: 'iVBO' } }, { text: 'What?' }),
        model({ functionCall: { id: 'c', name: 'f', args: { snake_case: { deep_er: 1 } } } }),
        user({ functionResponse: { id: 'c', name: 'f', response: { out_put: 1, x_y: 2 } } }),
      ],
      tools: [
        {
          functionDeclarations: [
            {
              name: 'f',
              parameters: { type: 'OBJECT', properties: { max_items: { type: 'ARRAY', maxItems: 3 } } },
            },
            { name: 'g', parametersJsonSchema: { type: 'object', properties: { any_of: {} }, x_y: 1 } },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      generationConfig: {
        maxOutputTokens: 5,
        topK: 3,
        responseMimeType: 'application/json',
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
});

describe('instructions', () => {
  test.each([
    [{ parts: [{ text: 'a' }, { text: '' }, { text: 'b' }] }, ['a', 'b']],
    [{ role: 'user', parts: { text: 'a' } }, ['a']],
    ['a', ['a']],
  ])('%j', (systemInstruction, texts) => {
    expect(canonical({ systemInstruction }).messages[0]).toEqual({
      role: 'system',
      content: texts.map(text => ({ type: 'text', text })),
    });
  });
});

describe('a part that a user sends', () => {
  test.each([
    [{ text: 'a' }, { type: 'text', text: 'a' }],
    [
      { inlineData: { mimeType: 'image/jpg', data: '_-8' } },
      { type: 'media', kind: 'image', source: { type: 'base64', data: '/+8=' }, mediaType: 'image/jpeg' },
    ],
    [
      { inlineData: { mimeType: 'audio/wav', data: 'UklG' } },
      { type: 'media', kind: 'audio', source: { type: 'base64', data: 'UklG' }, mediaType: 'audio/wav' },
    ],
    [
      { inlineData: { mimeType: 'application/pdf', data: 'JVBE', displayName: 'a.pdf' } },
      {
        type: 'media',
        kind: 'document',
        source: { type: 'base64', data: 'JVBE' },
        mediaType: 'application/pdf',
        name: 'a.pdf',
      },
    ],
    [
      { inlineData: { mimeType: 'text/plain', data: 'aGk=' } },
      { type: 'media', kind: 'document', source: { type: 'text', text: 'hi' }, mediaType: 'text/plain' },
    ],
    [
      { fileData: { fileUri: 'https://i.example/a.png?x=1' } },
      { type: 'media', kind: 'image', source: { type: 'url', url: 'https://i.example/a.png?x=1' } },
    ],
    [
      {
        fileData: {
          mimeType: 'application/pdf',
          fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/x',
        },
      },
      {
        type: 'media',
        kind: 'document',
        source: {
          type: 'file',
          id: 'https://generativelanguage.googleapis.com/v1beta/files/x',
          format: 'generate-content',
        },
        mediaType: 'application/pdf',
      },
    ],
    [
      { fileData: { mimeType: 'image/png', fileUri: 'gs://bucket/a' } },
      {
        type: 'media',
        kind: 'image',
        source: { type: 'file', id: 'gs://bucket/a', format: 'generate-content' },
        mediaType: 'image/png',
      },
    ],
  ])('%j', (part, expected) => {
    expect(said(part)).toEqual([expected]);
  });
});

describe('a part of the model', () => {
  const signature = (value: string, format = 'generate-content') => ({ format, value });
  const tagged = (text: string) => Buffer.from(text).toString('base64');
  test.each([
    [[{ text: 'a' }, { text: 'b' }], [{ type: 'text', text: 'ab' }]],
    [[{ text: '' }], undefined],
    [
      [{ text: 'a' }, { text: '', thoughtSignature: 'Cg==' }, { text: 'b' }],
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: '', signature: signature('Cg==') },
        { type: 'text', text: 'b' },
      ],
    ],
    [[{ thoughtSignature: 'Cg==' }], [{ type: 'text', text: '', signature: signature('Cg==') }]],
    [
      [{ text: 'a', thought: true }, { text: 'b', thought: true }, { text: 'c' }],
      [
        { type: 'reasoning', text: 'ab' },
        { type: 'text', text: 'c' },
      ],
    ],
    [
      [{ functionCall: { id: 'c1', name: 'f' }, thought: true }],
      [{ type: 'tool-call', id: 'c1', name: 'f', arguments: '{}' }],
    ],
    [
      [{ functionCall: { id: 'c1', name: 'f', args: { a: 1 } }, thoughtSignature: 'Cg==' }],
      [{ type: 'tool-call', id: 'c1', name: 'f', arguments: '{"a":1}', signature: signature('Cg==') }],
    ],
    [
      [
        { text: 'a', thought: true },
        { functionCall: { id: 'c1', name: 'f' }, thoughtSignature: tagged('am:Eq') },
      ],
      [
        { type: 'reasoning', text: 'a', signature: signature('Eq', 'messages') },
        { type: 'tool-call', id: 'c1', name: 'f', arguments: '{}' },
      ],
    ],
    [
      [{ functionCall: { id: 'c1', name: 'f' }, thoughtSignature: tagged('or:{"id":"rs"}') }],
      [
        { type: 'reasoning', text: '', signature: signature('{"id":"rs"}', 'responses') },
        { type: 'tool-call', id: 'c1', name: 'f', arguments: '{}' },
      ],
    ],
    [
      [{ thought: true, thoughtSignature: tagged('am:Em') }, { text: 'b' }],
      [
        { type: 'reasoning', text: '', redacted: true, signature: signature('Em', 'messages') },
        { type: 'text', text: 'b' },
      ],
    ],
    [
      [
        { executableCode: { language: 'PYTHON', code: '1' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK' } },
      ],
      [
        {
          type: 'opaque',
          format: 'generate-content',
          value: { executableCode: { language: 'PYTHON', code: '1' } },
        },
        {
          type: 'opaque',
          format: 'generate-content',
          value: { codeExecutionResult: { outcome: 'OUTCOME_OK' } },
        },
      ],
    ],
    [
      [{ inlineData: { mimeType: 'image/png', data: 'iVBO' } }],
      [{ type: 'media', kind: 'image', source: { type: 'base64', data: 'iVBO' }, mediaType: 'image/png' }],
    ],
  ])('%j', (parts, expected) => {
    expect(answered(...parts)).toEqual(expected);
  });

  test('comes back from a stream as a content for each chunk, and is one message', () => {
    expect(
      turns(user({ text: 'x' }), model({ text: 'a' }), model({ text: 'b' }), model({ text: '' })),
    ).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'x' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'ab' }] },
    ]);
  });
});

describe('calls and their results', () => {
  const call = (name: string, id?: string) => ({ functionCall: { name, args: {}, ...(id && { id }) } });
  const result = (name: string, output: string, id?: string) => ({
    functionResponse: { name, response: { output }, ...(id && { id }) },
  });
  const paired = (calls: object[], ...results: object[]) => {
    const messages = turns(user({ text: 'x' }), model(...calls), ...results);
    const ids = messages[1]?.content.map(part => (part as { id: string }).id);
    const answers = messages.flatMap(message => (message.role === 'tool' ? message.content : []));
    return {
      ids,
      answers: answers.map(({ callId, content }) => [callId, (content[0] as { text: string }).text]),
    };
  };

  test('without ids are paired by name and order, under ids that stay the same', () => {
    const given = [
      [call('f'), call('g'), call('f')],
      user(result('g', '2'), result('f', '1'), result('f', '3')),
    ] as const;
    const expected = {
      ids: ['call_1_0', 'call_1_1', 'call_1_2'],
      answers: [
        ['call_1_1', '2'],
        ['call_1_0', '1'],
        ['call_1_2', '3'],
      ],
    };
    expect(paired([...given[0]], given[1])).toEqual(expected);
    expect(paired([...given[0]], given[1])).toEqual(expected);
  });

  test('with ids are paired by them, and where only one side has them by name', () => {
    expect(
      paired([call('f', 'a'), call('f', 'b')], user(result('f', '2', 'b'), result('f', '1', 'a'))),
    ).toEqual({
      ids: ['a', 'b'],
      answers: [
        ['b', '2'],
        ['a', '1'],
      ],
    });
    expect(paired([call('f')], user(result('f', '1', 'z'))).answers).toEqual([['call_1_0', '1']]);
    expect(paired([call('f', 'a')], user(result('f', '1'))).answers).toEqual([['a', '1']]);
  });

  test('results in several contents, also of the role function, are one message before what is said', () => {
    const contents = [
      model(call('f', 'a'), call('g', 'b')),
      { role: 'function', parts: [result('f', '1')] },
      user({ text: 'and now?' }, result('g', '2')),
    ];
    expect(turns(user({ text: 'x' }), ...contents).slice(2)).toEqual([
      {
        role: 'tool',
        content: [
          { type: 'tool-result', callId: 'a', content: [{ type: 'text', text: '1' }] },
          { type: 'tool-result', callId: 'b', content: [{ type: 'text', text: '2' }] },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'and now?' }] },
    ]);
  });

  test.each([
    [{ output: '4 C' }, '4 C', undefined],
    [{ result: '4 C' }, '4 C', undefined],
    [{ name: 'f', content: '4 C' }, '4 C', undefined],
    [{ name: 'f', error: 'offline' }, 'offline', true],
    [{ error: { code: 1 } }, '{"code":1}', true],
    [{ output: { t: 4 } }, '{"t":4}', undefined],
    [{ t: 4, unit: 'C' }, '{"t":4,"unit":"C"}', undefined],
    [{ output: 'x', more: 1 }, '{"output":"x","more":1}', undefined],
    [{ name: 'Ann' }, '{"name":"Ann"}', undefined],
  ])('a response of %j says %j', (response, text, error) => {
    const [, , tool] = turns(
      user({ text: 'x' }),
      model(call('f')),
      user({ functionResponse: { name: 'f', response } }),
    );
    expect(tool?.content).toEqual([
      {
        type: 'tool-result',
        callId: 'call_1_0',
        content: [{ type: 'text', text }],
        ...(error && { error }),
      },
    ]);
  });

  test('a response may hold media', () => {
    const parts = [{ inlineData: { mimeType: 'image/png', data: 'iVBO' } }];
    const [, , tool] = turns(
      user({ text: 'x' }),
      model(call('f')),
      user({ functionResponse: { name: 'f', parts } }),
    );
    expect(tool?.content[0]).toMatchObject({ content: [{ type: 'media', kind: 'image' }] });
  });
});

describe('tools', () => {
  test.each([
    [{ mode: 'AUTO' }, { type: 'auto' }],
    [{ mode: 'NONE' }, { type: 'none' }],
    [{ mode: 'ANY' }, { type: 'required' }],
    [
      { mode: 'ANY', allowedFunctionNames: ['f'] },
      { type: 'tool', name: 'f' },
    ],
    [
      { mode: 'ANY', allowedFunctionNames: ['f', 'g'] },
      { type: 'required', names: ['f', 'g'] },
    ],
    [{ mode: 'VALIDATED' }, { type: 'auto' }],
    [
      { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
      { type: 'auto', names: ['f'] },
    ],
    [{ mode: 'MODE_UNSPECIFIED' }, undefined],
    [{}, undefined],
  ])('the choice %j', (functionCallingConfig, expected) => {
    expect(canonical({ toolConfig: { functionCallingConfig } }).toolChoice).toEqual(expected);
  });

  test('of one entry: functions, the search, and what only this vendor runs', () => {
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

  test('a schema of Google’s own is a JSON schema', () => {
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
  test('that all formats have', () => {
    const given = {
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
    const { messages: _, ...settings } = config(given);
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
  ])('thinking: %j', (thinkingConfig, reasoning) => {
    expect(config({ thinkingConfig }).reasoning).toEqual(reasoning);
  });

  const json = { responseMimeType: 'application/json' };
  test.each([
    [json, { type: 'json' }],
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
  ])('the form of the answer: %j', (fields, output) => {
    expect(config(fields).output).toEqual(output);
  });

  test.each([
    ['flex', 'flex'],
    ['STANDARD', 'default'],
    ['priority', 'priority'],
  ])('the tier %s is %s', (serviceTier, expected) => {
    expect(canonical({ serviceTier }).serviceTier).toBe(expected);
  });

  test('that only this format has go with it', () => {
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

test('numbers of any length stay as they were, in arguments, results and schemas of either spelling', () => {
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

describe('a history is foreign', () => {
  const tag = Buffer.from('am:EqQB').toString('base64');
  const call = (id: string, more = {}) => ({ functionCall: { id, name: 'f', args: {} }, ...more });
  test.each([
    [false, call('x1')],
    [false, call('call_1', { thoughtSignature: 'Cgl+' })],
    [true, call('x1', { thoughtSignature: tag })],
    [true, call('toolu_1')],
    [true, { text: 'a', thought: true, thought_signature: tag }],
  ])('%s: %j', (foreign, part) => {
    expect(parsed({ contents: [user({ text: 'x' }), model(part)] })).toHaveProperty('foreign', foreign);
  });
});
