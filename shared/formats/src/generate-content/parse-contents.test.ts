import type { Message, UserPart } from '@model-gateway/canonical';
import {
  bytes,
  call,
  failed,
  file,
  link,
  media,
  opaque,
  png,
  redacted,
  result,
  says,
  signed,
  system,
  tells,
  text,
  thought,
  user as userTurn,
} from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { canonical, model, turns, user } from '../testing/parsed-request.ts';

test.each([
  [{ parts: [{ text: 'a' }, { text: '' }, { text: 'b' }] }, system('a', 'b')],
  [{ role: 'user', parts: { text: 'a' } }, system('a')],
  ['a', system('a')],
])('the instructions %j are parsed', (systemInstruction, message) => {
  expect(canonical({ systemInstruction }).messages[0]).toEqual(message);
});

const stored = 'https://generativelanguage.googleapis.com/v1beta/files/x';
test.each<[object, UserPart]>([
  [
    { inlineData: { mimeType: 'image/jpg', data: '_-8' } },
    media('image', bytes('/+8='), { mediaType: 'image/jpeg' }),
  ],
  [
    { inlineData: { mimeType: 'audio/wav', data: 'UklG' } },
    media('audio', bytes('UklG'), { mediaType: 'audio/wav' }),
  ],
  [
    { inlineData: { mimeType: 'text/plain', data: 'aGk=' } },
    media('document', { type: 'text', text: 'hi' }, { mediaType: 'text/plain' }),
  ],
  [
    { inlineData: { mimeType: 'application/pdf', data: 'JVBE', displayName: 'a.pdf' } },
    media('document', bytes('JVBE'), { mediaType: 'application/pdf', name: 'a.pdf' }),
  ],
  [
    { fileData: { fileUri: 'https://i.example/a.png?x=1' } },
    media('image', link('https://i.example/a.png?x=1')),
  ],
  [
    { fileData: { mimeType: 'application/pdf', fileUri: stored } },
    media('document', file(stored, 'generate-content'), { mediaType: 'application/pdf' }),
  ],
  [
    { fileData: { mimeType: 'image/png', fileUri: 'gs://bucket/a' } },
    media('image', file('gs://bucket/a', 'generate-content'), { mediaType: 'image/png' }),
  ],
])('the user part %j is parsed', (part, expected) => {
  expect(turns(user(part))).toEqual([userTurn(expected)]);
});

const own = signed('Cg==', 'generate-content');
const tagged = (value: string) => Buffer.from(value).toString('base64');
const f = (more: object = {}) => ({ functionCall: { id: 'c1', name: 'f', ...more } });
const code = { executableCode: { language: 'PYTHON', code: '1' } };
const ran = { codeExecutionResult: { outcome: 'OUTCOME_OK' } };
test.each<[object[], Parameters<typeof says> | undefined]>([
  [[{ text: 'a' }, { text: 'b' }], ['ab']],
  [[{ text: '' }], undefined],
  [
    [{ text: 'a' }, { text: '', thoughtSignature: 'Cg==' }, { text: 'b' }],
    ['a', text('', own), 'b'],
  ],
  [[{ thoughtSignature: 'Cg==' }], [text('', own)]],
  [
    [{ text: 'a', thought: true }, { text: 'b', thought: true }, { text: 'c' }],
    [thought('ab'), 'c'],
  ],
  [[{ ...f(), thought: true }], [call('c1')]],
  [[{ ...f({ args: { a: 1 } }), thoughtSignature: 'Cg==' }], [call('c1', '{"a":1}', own)]],
  [
    [
      { text: 'a', thought: true },
      { ...f(), thoughtSignature: tagged('am:Eq') },
    ],
    [thought('a', signed('Eq')), call('c1')],
  ],
  [
    [{ ...f(), thoughtSignature: tagged('or:{"id":"rs"}') }],
    [thought('', signed('{"id":"rs"}', 'responses')), call('c1')],
  ],
  [
    [{ thought: true, thoughtSignature: tagged('am:Em') }, { text: 'b' }],
    [redacted('Em'), 'b'],
  ],
  [
    [code, ran],
    [opaque(code, 'generate-content'), opaque(ran, 'generate-content')],
  ],
  [[{ inlineData: { mimeType: 'image/png', data: 'iVBO' } }], [png]],
])('the model parts %j are parsed', (parts, expected) => {
  const [, said] = turns(user({ text: 'x' }), model(...parts));
  expect(said).toEqual(expected && says(...expected));
});

test('consecutive model contents become one message', () => {
  const said = [model({ text: 'a' }), model({ text: 'b' }), model({ text: '' })];
  expect(turns(user({ text: 'x' }), ...said)).toEqual([userTurn('x'), says('ab')]);
});

describe('calls and their results', () => {
  const calls = (name: string, id?: string) => ({ functionCall: { name, args: {}, ...(id && { id }) } });
  const gives = (name: string, output: string, id?: string) => ({
    functionResponse: { name, response: { output }, ...(id && { id }) },
  });
  const f = (id: string, name = 'f') => call(id, '{}', { name });
  const after = (called: object[], ...contents: object[]): Message[] =>
    turns(user({ text: 'x' }), model(...called), ...contents).slice(1);

  test('calls without ids are paired by name and order, with stable ids', () => {
    const results = user(gives('g', '2'), gives('f', '1'), gives('f', '3'));
    const expected = [
      says(f('call_1_0'), f('call_1_1', 'g'), f('call_1_2')),
      tells(result('call_1_1', '2'), result('call_1_0', '1'), result('call_1_2', '3')),
    ];
    for (let i = 0; i < 2; i++)
      expect(after([calls('f'), calls('g'), calls('f')], results)).toEqual(expected);
  });

  test('calls with ids are paired by id, or by name if only one side has ids', () => {
    const results = user(gives('f', '2', 'b'), gives('f', '1', 'a'));
    expect(after([calls('f', 'a'), calls('f', 'b')], results)).toEqual([
      ...[says(f('a'), f('b')), tells(result('b', '2'), result('a', '1'))],
    ]);
    const [, ...unnamed] = after([calls('f')], user(gives('f', '1', 'z')));
    const [, ...named] = after([calls('f', 'a')], user(gives('f', '1')));
    expect([unnamed, named]).toEqual([[tells(result('call_1_0', '1'))], [tells(result('a', '1'))]]);
  });

  test('results in several contents become one message before the user parts', () => {
    const first = { role: 'function', parts: [gives('f', '1')] };
    const second = user({ text: 'and now?' }, gives('g', '2'));
    expect(after([calls('f', 'a'), calls('g', 'b')], first, second).slice(1)).toEqual([
      ...[tells(result('a', '1'), result('b', '2')), userTurn('and now?')],
    ]);
  });

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

  test('a function response may contain media', () => {
    const parts = [{ inlineData: { mimeType: 'image/png', data: 'iVBO' } }];
    const [, tool] = after([calls('f')], user({ functionResponse: { name: 'f', parts } }));
    expect(tool?.content[0]).toMatchObject({ content: [png] });
  });
});
