import { describe, expect, test } from 'vitest';
import { canonical, model, modelContent, turns, user, userContent } from '../testing/parsed-request.ts';

describe('instructions', () => {
  test.each([
    [{ parts: [{ text: 'a' }, { text: '' }, { text: 'b' }] }, ['a', 'b']],
    [{ role: 'user', parts: { text: 'a' } }, ['a']],
    ['a', ['a']],
  ])('the instructions %j are parsed', (systemInstruction, texts) => {
    expect(canonical({ systemInstruction }).messages[0]).toEqual({
      role: 'system',
      content: texts.map(text => ({ type: 'text', text })),
    });
  });
});

describe('a user part', () => {
  test.each([
    [
      { inlineData: { mimeType: 'image/jpg', data: '_-8' } },
      { type: 'media', kind: 'image', source: { type: 'base64', data: '/+8=' }, mediaType: 'image/jpeg' },
    ],
    [
      { inlineData: { mimeType: 'audio/wav', data: 'UklG' } },
      { type: 'media', kind: 'audio', source: { type: 'base64', data: 'UklG' }, mediaType: 'audio/wav' },
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
  ])('the user part %j is parsed', (part, expected) => {
    expect(userContent(part)).toEqual([expected]);
  });
});

describe('model parts', () => {
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
  ])('the model parts %j are parsed', (parts, expected) => {
    expect(modelContent(...parts)).toEqual(expected);
  });

  test('consecutive model contents become one message', () => {
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

  test('calls without ids are paired by name and order, with stable ids', () => {
    const conversation = [
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
    expect(paired([...conversation[0]], conversation[1])).toEqual(expected);
    expect(paired([...conversation[0]], conversation[1])).toEqual(expected);
  });

  test('calls with ids are paired by id, or by name if only one side has ids', () => {
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

  test('results in several contents become one message before the user parts', () => {
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
  ])('the function response %j has the text %j', (response, text, error) => {
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

  test('a function response may contain media', () => {
    const parts = [{ inlineData: { mimeType: 'image/png', data: 'iVBO' } }];
    const [, , tool] = turns(
      user({ text: 'x' }),
      model(call('f')),
      user({ functionResponse: { name: 'f', parts } }),
    );
    expect(tool?.content[0]).toMatchObject({ content: [{ type: 'media', kind: 'image' }] });
  });
});
