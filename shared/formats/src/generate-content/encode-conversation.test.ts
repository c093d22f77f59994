import type { AssistantPart, Message, UserPart } from '@model-gateway/canonical';
import {
  bytes,
  call,
  failed,
  file,
  link,
  media,
  opaque,
  redacted,
  result,
  says,
  signed,
  system,
  tells,
  text,
  thought,
  user,
} from '@model-gateway/canonical/testing/parts';
import { describe, expect, test } from 'vitest';
import {
  body,
  contents,
  input,
  newest,
  ok,
  older,
  refused,
  standIn,
} from '../testing/generate-content-request.ts';
import { encode } from './encode.ts';

const invalid = { kind: 'invalid-request', path: 'messages' };
const sentUser = (...parts: (string | object)[]) => ({
  ...{ role: 'user', parts: parts.map(part => (typeof part === 'string' ? { text: part } : part)) },
});
const functionCall = (id: string, args: object = {}) => ({ functionCall: { id, name: 'f', args } });
const functionResponse = (id: string, response: object, more: object = {}) => ({
  ...{ functionResponse: { id, name: 'f', response, ...more } },
});

describe('a conversation', () => {
  test('leading instructions become systemInstruction, and later ones stay in place', () => {
    const messages = [system('a'), system('b'), user('x'), says('y'), system('c'), user('z')];
    expect(body({ messages })).toMatchObject({
      systemInstruction: { parts: [{ text: 'a' }, { text: 'b' }] },
      contents: [sentUser('x'), { role: 'model', parts: [{ text: 'y' }] }, sentUser('c', 'z')],
    });
  });

  test.each<[string, Message[]]>([
    ['instructions only', [system('a')]],
    ['a model turn', [says('y'), user('x')]],
  ])(
    'a conversation that starts with %s gets a placeholder user turn, except for messages clients',
    (_what, messages) => {
      for (const format of ['chat', 'responses', 'completions'] as const)
        expect(body({ messages }, {}, format).contents[0]).toEqual(sentUser('.'));
      expect(refused({ messages }, {}, 'messages')).toMatchObject(invalid);
    },
  );

  test('a final assistant message of a messages client is refused', () => {
    const messages = [user('x'), says('y')];
    expect(refused({ messages }, {}, 'messages')).toMatchObject(invalid);
    expect(body({ messages }).contents).toHaveLength(2);
  });

  test('empty texts are left out, and a user turn without content gets some (pitfall 16)', () => {
    expect(contents([user('', 'x'), says(''), user('y')])).toEqual([sentUser('x'), sentUser('y')]);
    expect(contents([user('')])).toEqual([sentUser('.')]);
    const said = { role: 'model', parts: [{ text: 'y' }] };
    expect(contents([user('x'), says('y'), user('')])).toEqual([sentUser('x'), said, sentUser('.')]);
    expect(contents([user('x'), user(''), says('y'), user()])).toEqual([sentUser('x'), said, sentUser('.')]);
    const after = contents([user('x'), says(call('c1')), tells(result('c1', 'ok')), user('')]);
    expect(after[2]).toEqual(sentUser(functionResponse('c1', { output: 'ok' })));
    expect(after).toHaveLength(3);
  });

  test('calls of one id are renamed with their results', () => {
    const asks = [says(call('call_0')), tells(result('call_0', 'a'))];
    const [, , , asked, answered] = contents([user('x'), ...asks, ...asks]);
    expect(asked.parts[0]).toMatchObject(functionCall('call_0_2'));
    expect(answered).toEqual(sentUser(functionResponse('call_0_2', { output: 'a' })));
  });
});

describe('calls and results', () => {
  const oslo = call('c1', '{"city":"Oslo","n":12345678901234567890}');

  test('all results of a turn are one content, and text with them is another (pitfall 11)', () => {
    const results = [
      tells(result('c1', '4 C')),
      user('and?'),
      tells(failed(result('c2', 'station offline'))),
    ];
    expect(contents([user('x'), says('Looking.', oslo, call('c2', '')), ...results], older)).toEqual([
      sentUser('x'),
      {
        role: 'model',
        parts: [{ text: 'Looking.' }, functionCall('c1', JSON.parse(oslo.arguments)), functionCall('c2')],
      },
      sentUser(
        functionResponse('c1', { output: '4 C' }),
        functionResponse('c2', { error: 'station offline' }),
      ),
      sentUser('and?'),
    ]);
  });

  test('numbers in arguments and results stay exact', () => {
    const messages = [user('x'), says(oslo), tells(result('c1', '{"n":1.50}'))];
    const sent = encode(input({ request: { messages } })).body.toString();
    expect(sent).toContain('"n":12345678901234567890');
    expect(sent).toContain('"response":{"n":1.50}');
  });

  const document = media('document', { type: 'text', text: 'b' }, { name: 'A' });
  test.each<[string, (string | UserPart)[], object]>([
    ['an object', [' {"t":4}'], { t: 4 }],
    ['a list', ['[4]'], { output: '[4]' }],
    ['broken JSON', ['{"t":'], { output: '{"t":' }],
    ['nothing', [], { output: '' }],
    ['several texts', ['{}', 'b'], { output: '{}\nb' }],
    ['a block of another format (pitfall 15)', [opaque({ type: 'x' })], { output: '{"type":"x"}' }],
    ['a document of text', [document], { output: 'A\n\nb' }],
  ])('a result of %s becomes a functionResponse', (_what, content, response) => {
    const [, , { parts }] = contents([user('x'), says(call('c1')), tells(result('c1', ...content))]);
    expect(parts).toEqual([functionResponse('c1', response)]);
  });

  test('an image is inside its result, or follows it on older models (pitfalls 12, 14)', () => {
    const image = media('image', bytes('iVBORw0KGgo='), { mediaType: 'image/png' });
    const sent = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
    const messages = [user('x'), says(call('c1')), tells(result('c1', 'see', image)), user('so?')];
    expect(contents(messages)[2]).toEqual(
      sentUser(functionResponse('c1', { output: 'see' }, { parts: [sent] })),
    );
    expect(contents(messages, older).slice(2)).toEqual([
      sentUser(functionResponse('c1', { output: 'see\n(image: see the content that follows)' })),
      sentUser('Shown by tool call c1:', sent, 'so?'),
    ]);
  });

  test('call ids generated by the gateway are not sent upstream', () => {
    const made = 'call_gg0123456789abcdef01234567';
    const [, { parts: calls }, { parts: answers }] = contents([user('x'), says(call(made)), ok(made)]);
    expect(calls[0].functionCall).toEqual({ name: 'f', args: {} });
    expect(answers[0].functionResponse).toEqual({ name: 'f', response: { output: 'ok' } });
  });

  test('results are sent in the order of their calls', () => {
    const [a, b] = ['call_gg0123456789abcdef01234567', 'call_gg0123456789abcdef01234568'] as const;
    const results = [tells(result(b, 'of b')), tells(result(a, 'of a'))];
    const [, , { parts }] = contents([user('x'), says(call(a), call(b)), ...results]);
    const outputs = parts.map((part: ReturnType<typeof functionResponse>) => part.functionResponse.response);
    expect(outputs).toEqual([{ output: 'of a' }, { output: 'of b' }]);
  });

  test.each([
    ['[1]', { value: [1] }],
    ['5', { value: 5 }],
    ['null', {}],
    [' ', {}],
    ['[]', {}],
    ['{"x":', { _raw: '{"x":' }],
  ])('arguments %s are sent as an object', (args, sent) => {
    const [, { parts }] = contents([user('x'), says(call('a', args)), ok('a')]);
    expect(parts[0].functionCall.args).toEqual(sent);
  });

  test('unpaired calls and results are refused', () => {
    for (const turns of [[says(call('a'))], [ok('b')]])
      expect(refused({ messages: [user('x'), ...turns] })).toMatchObject(invalid);
  });
});

describe('signatures', () => {
  const own = (value: string) => signed(value, 'generate-content');
  const model = (...content: AssistantPart[]) => {
    const results = content.flatMap(part => (part.type === 'tool-call' ? [result(part.id)] : []));
    return contents([user('x'), says(...content), ...(results.length > 0 ? [tells(...results)] : [])])[1]
      .parts;
  };

  test('signatures stay on their parts (pitfall 4)', () => {
    expect(model(text('t', own('T')), call('a', '{}', own('A')), call('b'))).toEqual([
      { text: 't', thoughtSignature: 'T' },
      { ...functionCall('a'), thoughtSignature: 'A' },
      functionCall('b'),
    ]);
  });

  test('a signature on reasoning moves to the part that follows', () => {
    expect(model(thought('hm', own('A')), call('a'), call('b'))).toEqual([
      { ...functionCall('a'), thoughtSignature: 'A' },
      functionCall('b'),
    ]);
    expect(model(thought('', own('A')), text('t'))).toEqual([{ text: 't', thoughtSignature: 'A' }]);
  });

  test('the signature of a call takes precedence, and a last signature gets its own part', () => {
    const signedCall = call('a', '{}', own('A'));
    const sentCall = { ...functionCall('a'), thoughtSignature: 'A' };
    expect(model(thought('', own('A')), signedCall)).toEqual([sentCall]);
    expect(model(signedCall, thought('', own('B')))).toEqual([sentCall, { text: '', thoughtSignature: 'B' }]);
    expect(model(text('x'), thought('hm', own('B')))).toEqual([
      { text: 'x' },
      { text: 'hm', thought: true, thoughtSignature: 'B' },
    ]);
  });

  test('signatures of several reasoning parts keep their order (pitfall 18)', () => {
    const parts = [
      thought('a', own('A')),
      thought('', own('B')),
      text('t'),
      thought('', own('C')),
      call('c'),
    ];
    expect(model(...parts)).toEqual([
      { text: 'a', thought: true, thoughtSignature: 'A' },
      { text: 't', thoughtSignature: 'B' },
      { ...functionCall('c'), thoughtSignature: 'C' },
    ]);
  });

  test("other vendors' signatures and unsigned reasoning are not sent", () => {
    const parts = [thought('hm', signed('Eq')), thought('hm'), redacted('Eq'), text('t', signed('Eq'))];
    expect(model(...parts)).toEqual([{ text: 't' }]);
  });

  test('the first call of each unsigned turn gets the stand-in on models that require signatures', () => {
    const messages = [
      ...[user('x'), says(call('a', '{}', signed('EqQB')), call('b')), tells(result('a'), result('b'))],
      ...[says(call('c', '{}', own('C'))), ok('c'), says(call('d')), ok('d')],
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
  const code = { executableCode: { code: '1' } };
  test.each<[string, UserPart, object]>([
    [
      'an image',
      media('image', bytes('AAAA'), { mediaType: 'image/jpg' }),
      { inlineData: { mimeType: 'image/jpeg', data: 'AAAA' } },
    ],
    [
      'audio',
      media('audio', bytes('AAAA'), { mediaType: 'audio/wav' }),
      { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
    ],
    [
      'a PDF without a media type',
      media('document', bytes('JVBERi0x')),
      { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0x' } },
    ],
    ['a file of text', media('document', bytes('xb4='), { name: 'a.txt' }), { text: 'a.txt\n\nž' }],
    [
      'a link',
      media('image', link('https://x/a.png'), { mediaType: 'image/png' }),
      { fileData: { mimeType: 'image/png', fileUri: 'https://x/a.png' } },
    ],
    [
      'a stored file',
      media('document', file('https://g/x', 'generate-content')),
      { fileData: { fileUri: 'https://g/x' } },
    ],
    ['a block of this format', opaque(code, 'generate-content'), code],
    ['a block of another format', opaque({ type: 'x' }), { text: '{"type":"x"}' }],
  ])('%s is encoded', (_what, content, sent) => {
    expect(contents([user(content)])).toEqual([sentUser(sent)]);
  });

  test.each<[string, UserPart]>([
    ["another vendor's file", media('image', file('f', 'chat'))],
    ['an image of unknown type', media('image', bytes('AAAA'))],
  ])('%s is refused', (_what, content) => {
    expect(refused({ messages: [user(content)] })).toMatchObject(invalid);
  });
});
