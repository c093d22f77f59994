import type { AssistantPart, Message, Signature, ToolResultPart, UserPart } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import {
  assistant,
  body,
  call,
  contents,
  input,
  newest,
  ok,
  older,
  refused,
  results,
  signed,
  standIn,
  system,
  text,
  user,
} from '../../testing/generate-content-request.ts';
import { encode } from './encode.ts';

describe('a conversation', () => {
  test('leading instructions become systemInstruction, and later ones stay in place', () => {
    expect(
      body({
        messages: [
          system('a'),
          system('b'),
          user('x'),
          assistant(text('y') as AssistantPart),
          system('c'),
          user('z'),
        ],
      }),
    ).toMatchObject({
      systemInstruction: { parts: [{ text: 'a' }, { text: 'b' }] },
      contents: [
        { role: 'user', parts: [{ text: 'x' }] },
        { role: 'model', parts: [{ text: 'y' }] },
        { role: 'user', parts: [{ text: 'c' }, { text: 'z' }] },
      ],
    });
  });

  test.each<[string, Message[]]>([
    ['instructions only', [system('a')]],
    ['a model turn', [assistant({ type: 'text', text: 'y' }), user('x')]],
  ])(
    'a conversation that starts with %s gets a placeholder user turn, except for messages clients',
    (_what, messages) => {
      for (const format of ['chat', 'responses', 'completions'] as const)
        expect(body({ messages }, {}, format).contents[0]).toEqual({ role: 'user', parts: [{ text: '.' }] });
      expect(refused({ messages }, {}, 'messages')).toMatchObject({
        kind: 'invalid-request',
        path: 'messages',
      });
    },
  );

  test('a final assistant message of a messages client is refused', () => {
    const messages = [user('x'), assistant({ type: 'text', text: 'y' })];
    expect(refused({ messages }, {}, 'messages')).toMatchObject({ path: 'messages' });
    expect(body({ messages }).contents).toHaveLength(2);
  });

  test('empty texts are left out, and an empty user message is refused (pitfall 16)', () => {
    const messages = [user('', 'x'), assistant({ type: 'text', text: '' }), user('y')];
    expect(contents(messages)).toEqual([
      { role: 'user', parts: [{ text: 'x' }] },
      { role: 'user', parts: [{ text: 'y' }] },
    ]);
    expect(refused({ messages: [user('')] })).toMatchObject({ path: 'messages' });
  });
});

describe('calls and results', () => {
  const oslo = call('c1', '{"city":"Oslo","n":12345678901234567890}');

  test('all results of a turn are one content, and text with them is another (pitfall 11)', () => {
    const messages = [
      user('x'),
      assistant({ type: 'text', text: 'Looking.' }, oslo, call('c2', '')),
      results(['c1', [{ type: 'text', text: '4 C' }]]),
      user('and?'),
      results(['c2', [{ type: 'text', text: 'station offline' }], true]),
    ];
    expect(contents(messages, older)).toEqual([
      { role: 'user', parts: [{ text: 'x' }] },
      {
        role: 'model',
        parts: [
          { text: 'Looking.' },
          {
            functionCall: {
              id: 'c1',
              name: 'f',
              args: JSON.parse('{"city":"Oslo","n":12345678901234567890}'),
            },
          },
          { functionCall: { id: 'c2', name: 'f', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'c1', name: 'f', response: { output: '4 C' } } },
          { functionResponse: { id: 'c2', name: 'f', response: { error: 'station offline' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'and?' }] },
    ]);
  });

  test('numbers in arguments and results stay exact', () => {
    const request = {
      messages: [user('x'), assistant(oslo), results(['c1', [{ type: 'text', text: '{"n":1.50}' }]])],
    };
    const sent = encode(input({ request })).body.toString();
    expect(sent).toContain('"n":12345678901234567890');
    expect(sent).toContain('"response":{"n":1.50}');
  });

  test.each<[string, ToolResultPart['content'], object]>([
    ['an object', [{ type: 'text', text: ' {"t":4}' }], { t: 4 }],
    ['a list', [{ type: 'text', text: '[4]' }], { output: '[4]' }],
    ['broken JSON', [{ type: 'text', text: '{"t":' }], { output: '{"t":' }],
    ['nothing', [], { output: '' }],
    [
      'several texts',
      [
        { type: 'text', text: '{}' },
        { type: 'text', text: 'b' },
      ],
      { output: '{}\nb' },
    ],
    [
      'a block of another format (pitfall 15)',
      [{ type: 'opaque', format: 'messages', value: { type: 'search_result', title: 'T' } }],
      { output: '{"type":"search_result","title":"T"}' },
    ],
    [
      'a document of text',
      [{ type: 'media', kind: 'document', source: { type: 'text', text: 'b' }, name: 'A' }],
      { output: 'A\n\nb' },
    ],
  ])('a result of %s becomes a functionResponse', (_what, content, response) => {
    const [, , { parts }] = contents([user('x'), assistant(call('c1')), results(['c1', content])]);
    expect(parts[0].functionResponse).toEqual({ id: 'c1', name: 'f', response });
  });

  const image = {
    type: 'media',
    kind: 'image',
    source: { type: 'base64', data: 'iVBORw0KGgo=' },
    mediaType: 'image/png',
  } as const;
  const sentImage = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };

  test('an image is inside its result, or follows it on older models (pitfalls 12, 14)', () => {
    const messages = [
      user('x'),
      assistant(call('c1')),
      results(['c1', [text('see') as never, image]]),
      user('so?'),
    ];
    expect(contents(messages)[2]).toEqual({
      role: 'user',
      parts: [{ functionResponse: { id: 'c1', name: 'f', response: { output: 'see' }, parts: [sentImage] } }],
    });
    expect(contents(messages, older).slice(2)).toEqual([
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: 'c1',
              name: 'f',
              response: { output: 'see\n(image: see the content that follows)' },
            },
          },
        ],
      },
      { role: 'user', parts: [{ text: 'Shown by tool call c1:' }, sentImage, { text: 'so?' }] },
    ]);
  });

  test('call ids generated by the gateway are not sent upstream', () => {
    const made = 'call_gg0123456789abcdef01234567';
    const [, { parts: calls }, { parts: answers }] = contents([user('x'), assistant(call(made)), ok(made)]);
    expect(calls[0].functionCall).toEqual({ name: 'f', args: {} });
    expect(answers[0].functionResponse).toEqual({ name: 'f', response: { output: 'ok' } });
  });

  test('results are sent in the order of their calls', () => {
    const [a, b] = ['call_gg0123456789abcdef01234567', 'call_gg0123456789abcdef01234568'] as const;
    const textOf = (value: string): ToolResultPart['content'] => [{ type: 'text', text: value }];
    const [, , { parts }] = contents([
      user('x'),
      assistant(call(a), call(b)),
      results([b, textOf('of b')]),
      results([a, textOf('of a')]),
    ]);
    expect(parts).toMatchObject([
      { functionResponse: { response: { output: 'of a' } } },
      { functionResponse: { response: { output: 'of b' } } },
    ]);
  });

  test.each([
    ['[1]', { value: [1] }],
    ['5', { value: 5 }],
    ['null', {}],
    [' ', {}],
  ])('arguments %s are sent as an object', (args, sent) => {
    const [, { parts }] = contents([user('x'), assistant(call('a', args)), ok('a')]);
    expect(parts[0].functionCall.args).toEqual(sent);
  });

  test('invalid arguments and unpaired calls or results are refused', () => {
    expect(refused({ messages: [user('x'), assistant(call('a', '{"x":')), ok('a')] })).toMatchObject({
      path: 'messages',
    });
    expect(refused({ messages: [user('x'), assistant(call('a'))] })).toMatchObject({
      kind: 'invalid-request',
    });
    expect(refused({ messages: [user('x'), ok('b')] })).toMatchObject({ kind: 'invalid-request' });
  });
});

describe('signatures', () => {
  const model = (...content: AssistantPart[]) =>
    contents([
      user('x'),
      assistant(...content),
      ...content
        .flatMap(c => (c.type === 'tool-call' ? [c.id] : []))
        .slice(0, 1)
        .map(() => answers(content)),
    ])[1].parts;
  const answers = (content: AssistantPart[]): Message => ({
    role: 'tool',
    content: content.flatMap(part =>
      part.type === 'tool-call' ? [{ type: 'tool-result' as const, callId: part.id, content: [] }] : [],
    ),
  });
  const foreign: Signature = { format: 'messages', value: 'EqQB' };

  test('signatures stay on their parts (pitfall 4)', () => {
    expect(
      model(
        { type: 'text', text: 't', signature: signed('T') },
        call('a', '{}', { signature: signed('A') }),
        call('b'),
      ),
    ).toEqual([
      { text: 't', thoughtSignature: 'T' },
      { functionCall: { id: 'a', name: 'f', args: {} }, thoughtSignature: 'A' },
      { functionCall: { id: 'b', name: 'f', args: {} } },
    ]);
  });

  test('a signature on reasoning moves to the part that follows', () => {
    expect(
      model({ type: 'reasoning', text: 'hm', signature: signed('A') }, call('a'), call('b')),
    ).toMatchObject([{ functionCall: {}, thoughtSignature: 'A' }, { functionCall: { id: 'b' } }]);
    expect(
      model({ type: 'reasoning', text: '', signature: signed('A') }, { type: 'text', text: 't' }),
    ).toEqual([{ text: 't', thoughtSignature: 'A' }]);
  });

  test('the signature of a call takes precedence, and a last signature gets its own part', () => {
    const signedCall = call('a', '{}', { signature: signed('A') });
    expect(model({ type: 'reasoning', text: '', signature: signed('A') }, signedCall)).toMatchObject([
      { thoughtSignature: 'A' },
    ]);
    expect(model(signedCall, { type: 'reasoning', text: '', signature: signed('B') })).toMatchObject([
      { thoughtSignature: 'A' },
      { text: '', thoughtSignature: 'B' },
    ]);
    expect(
      model({ type: 'text', text: 'x' }, { type: 'reasoning', text: 'hm', signature: signed('B') }),
    ).toEqual([{ text: 'x' }, { text: 'hm', thought: true, thoughtSignature: 'B' }]);
  });

  test('signatures of several reasoning parts keep their order (pitfall 18)', () => {
    const reasoning = (text: string, value: string): AssistantPart => ({
      type: 'reasoning',
      text,
      signature: signed(value),
    });
    expect(
      model(
        reasoning('a', 'A'),
        reasoning('', 'B'),
        { type: 'text', text: 't' },
        reasoning('', 'C'),
        call('c'),
      ),
    ).toMatchObject([
      { text: 'a', thought: true, thoughtSignature: 'A' },
      { text: 't', thoughtSignature: 'B' },
      { functionCall: { id: 'c' }, thoughtSignature: 'C' },
    ]);
  });

  test("other vendors' signatures and unsigned reasoning are not sent", () => {
    expect(
      model(
        { type: 'reasoning', text: 'hm', signature: foreign },
        { type: 'reasoning', text: 'hm' },
        { type: 'reasoning', text: '', redacted: true, signature: foreign },
        { type: 'text', text: 't', signature: foreign },
      ),
    ).toEqual([{ text: 't' }]);
  });

  test('the first call of each unsigned turn gets the stand-in on models that require signatures', () => {
    const messages = [
      user('x'),
      assistant(call('a', '{}', { signature: foreign }), call('b')),
      results(['a', []], ['b', []]),
      assistant(call('c', '{}', { signature: signed('C') })),
      ok('c'),
      assistant(call('d')),
      ok('d'),
    ];
    const signatures = (model: string) =>
      contents(messages, model).flatMap(({ parts }: { parts: Record<string, unknown>[] }) =>
        parts.flatMap(part => (part.functionCall ? [part.thoughtSignature ?? null] : [])),
      );
    expect(signatures(newest)).toEqual([standIn, null, 'C', standIn]);
    expect(signatures(older)).toEqual([null, null, 'C', null]);
  });
});

describe('media', () => {
  const part = (media: UserPart) => contents([user(media)])[0].parts[0];
  const media = (fields: object) => ({ type: 'media', kind: 'image', ...fields }) as UserPart;
  const base64 = { type: 'base64', data: 'AAAA' };

  test.each<[string, UserPart, object]>([
    [
      'an image',
      media({ source: base64, mediaType: 'image/jpg' }),
      { inlineData: { mimeType: 'image/jpeg', data: 'AAAA' } },
    ],
    [
      'audio',
      media({ kind: 'audio', source: base64, mediaType: 'audio/wav' }),
      { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
    ],
    [
      'a PDF without a media type',
      media({ kind: 'document', source: { type: 'base64', data: 'JVBERi0x' } }),
      { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0x' } },
    ],
    [
      'a file of text',
      media({ kind: 'document', source: { type: 'base64', data: 'xb4=' }, name: 'a.txt' }),
      { text: 'a.txt\n\nž' },
    ],
    [
      'a link',
      media({ source: { type: 'url', url: 'https://x/a.png' }, mediaType: 'image/png' }),
      { fileData: { mimeType: 'image/png', fileUri: 'https://x/a.png' } },
    ],
    [
      'a stored file',
      media({
        kind: 'document',
        source: { type: 'file', id: 'https://g/files/x', format: 'generate-content' },
      }),
      { fileData: { fileUri: 'https://g/files/x' } },
    ],
    [
      'a block of this format',
      { type: 'opaque', format: 'generate-content', value: { executableCode: { code: '1' } } },
      { executableCode: { code: '1' } },
    ],
    [
      'a block of another format',
      { type: 'opaque', format: 'messages', value: { type: 'x' } },
      { text: '{"type":"x"}' },
    ],
  ])('%s is encoded', (_what, content, sent) => {
    expect(part(content)).toEqual(sent);
  });

  test.each<[string, UserPart]>([
    ["another vendor's file", media({ source: { type: 'file', id: 'f', format: 'chat' } })],
    ['an image of unknown type', media({ source: base64 })],
  ])('%s is refused', (_what, content) => {
    expect(refused({ messages: [user(content)] })).toMatchObject({
      kind: 'invalid-request',
      path: 'messages',
    });
  });
});
