import type { AssistantPart, MediaPart, Message, ToolResultPart } from '@model-gateway/canonical';
import {
  bytes,
  cached,
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
import { body, hi, messages, refused } from '../testing/messages-request.ts';

const refusal = (...turns: Message[]) => refused({ messages: turns });
const invalid = { kind: 'invalid-request', path: 'messages' };
const ok = (id: string) => tells(result(id, 'ok'));
const cache_control = { type: 'ephemeral' };

describe('a conversation', () => {
  test('leading system messages become `system`, in order and with their cache breakpoints', () => {
    const sent = body({ messages: [system(cached('a', { ttl: '1h' })), system('', 'b'), hi] });
    expect(sent.system).toEqual([
      { ...text('a'), cache_control: { ...cache_control, ttl: '1h' } },
      text('b'),
    ]);
    expect(sent.messages).toEqual([user('Hi')]);
  });

  test('later system messages keep their place, and turns of the same role are merged', () => {
    expect(messages(hi, says('x'), system('Be brief.'), user('y'), says('z'))).toEqual([
      ...[user('Hi'), says('x'), user('Be brief.', 'y'), says('z')],
    ]);
  });

  test('a conversation without a first user turn gets one, except for messages clients', () => {
    expect(messages(system('a'))).toEqual([user('.')]);
    expect(messages(system('a'), says('x'))).toHaveLength(2);
    expect(refused({ messages: [system('a')] }, {}, 'messages')).toMatchObject(invalid);
  });

  test('empty texts are left out (pitfall 16)', () => {
    expect(messages(hi, says('', call('a')), ok('a'), says(''), user('y'))).toEqual([
      user('Hi'),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }, text('y')] },
    ]);
  });

  test('blank texts are left out, wherever they stand', () => {
    const blank = ' \n';
    const turns = [
      system(blank),
      user(blank, 'x'),
      says(blank, call('a')),
      tells(result('a', 'x', blank)),
      user(blank),
    ];
    const sent = body({ messages: turns });
    expect(sent.system).toBeUndefined();
    expect(sent.messages).toEqual([
      user('x'),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [text('x')] }] },
    ]);
    const refuses = { type: 'refusal', text: blank } as const;
    expect(messages(hi, says(refuses), system(blank), user('y'))).toEqual([user('Hi', 'y')]);
  });

  test.each([[[]], [['']], [[' ', '\n']]])('the results %j have no text', content => {
    const of = (part: ToolResultPart) => messages(hi, says(call('a')), tells(part))[2].content[0].content;
    expect(of(result('a', ...content))).toBe('');
    expect(of(failed(result('a', ...content)))).toBe('(empty)');
  });

  test('a user turn without content gets some, unless a neighbour has it', () => {
    expect(messages(user(''))).toEqual([user('.')]);
    expect(messages(hi, says('x'), user(' '))).toEqual([user('Hi'), says('x'), user('.')]);
    expect(messages(hi, user(''), says('x'), user())).toEqual([user('Hi'), says('x'), user('.')]);
    expect(body({ messages: [hi, says('x'), user('')] }, {}, 'messages').messages).toHaveLength(3);
  });

  test('a beginning of the answer does not end in white space', () => {
    expect(messages(hi, says('So', 'I \n'))).toEqual([user('Hi'), says('So', 'I')]);
    expect(messages(hi, says('I '), user('x'))).toEqual([user('Hi'), says('I '), user('x')]);
    expect(messages(hi, says('\n'))).toEqual([user('Hi')]);
  });

  test('an assistant turn keeps text beside calls (pitfall 28), and refusals become text', () => {
    const turns = messages(hi, says('x', call('a')), ok('a'), says({ type: 'refusal', text: 'no' }));
    expect(turns[1].content).toMatchObject([text('x'), { type: 'tool_use' }]);
    expect(turns[3].content).toEqual([text('no')]);
  });
});

describe('tool calls and results', () => {
  const inputOf = (part: AssistantPart) => messages(hi, says(part), ok('a'))[1].content[0].input;

  test.each([
    ['', {}],
    [' ', {}],
    ['null', {}],
    ['[1,2]', { value: [1, 2] }],
    ['"s"', { value: 's' }],
    ['5', { value: 5 }],
    ['[]', {}],
    ['{"x":', { _raw: '{"x":' }],
    ['"{\\"x\\":1}"', { x: 1 }],
  ])('the arguments %j become the input %j', (args, expected) => {
    expect(inputOf(call('a', args))).toEqual(expected);
  });

  test('a custom tool call becomes an object with `input`', () => {
    expect(inputOf(call('a', 'x = {', { custom: true }))).toEqual({ input: 'x = {' });
  });

  test.each(['call+a/b=', 'id with spaces', 'x'.repeat(80), 'call_x__thought__abc+/=='])(
    'the id %s is replaced by the same id in call and result (pitfalls 5, 6)',
    id => {
      const sent = messages(hi, says(call(id)), ok(id));
      const made = sent[1].content[0].id;
      expect(made).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(sent[2].content[0].tool_use_id).toBe(made);
      expect(messages(hi, says(call(id)), ok(id))).toEqual(sent);
    },
  );

  test('all tool results are in one user turn, in front of its text (pitfall 11)', () => {
    const offline = tells({ ...failed(result('b', 'offline')), cache: {} });
    const turns = [says(call('a'), call('b')), system('note'), ok('a'), offline, user('Go on')];
    expect(messages(hi, ...turns)[2].content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: 'ok' },
      { type: 'tool_result', tool_use_id: 'b', content: 'offline', is_error: true, cache_control },
      text('note'),
      text('Go on'),
    ]);
  });

  test('images and opaque blocks stay inside a tool result (pitfalls 14, 15)', () => {
    const jpeg = media('image', bytes('AA=='), { mediaType: 'image/jpg' });
    const found = opaque({ type: 'search_result', title: 'T' });
    const rich = tells(result('a', '', jpeg, found, opaque({ type: 'x', y: 1 }, 'responses')));
    expect(messages(hi, says(call('a')), rich)[2].content[0].content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AA==' } },
      { type: 'search_result', title: 'T' },
      text('{"type":"x","y":1}'),
    ]);
  });

  test.each<[string, Message[], string]>([
    ['a call without a result', [says(call('a'), call('b')), ok('a'), user('x')], "'b'"],
    ['a call in the last turn', [says(call('a'))], "'a'"],
    ['a result without a call', [ok('z')], "'z'"],
    ['a second result for the same call', [says(call('a')), ok('a'), ok('a')], "'a'"],
  ])('%s is refused with the id in the message', (_what, turns, id) => {
    const error = { kind: 'invalid-request', message: expect.stringContaining(id) };
    expect(refusal(hi, ...turns)).toMatchObject(error);
  });
});

describe('media', () => {
  const document = (data: string, more: Partial<MediaPart> = {}) => media('document', bytes(data), more);
  const plain = (data: string) => ({ type: 'text', media_type: 'text/plain', data });
  const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };
  const png = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgoA' };

  test.each<[MediaPart, object]>([
    [
      media('image', bytes('iVBORw0KGgoA'), { mediaType: 'image/png', cache: {} }),
      { type: 'image', source: png, cache_control },
    ],
    [media('image', link('https://x/a.png')), { type: 'image', source: link('https://x/a.png') }],
    [media('image', file('f', 'messages')), { type: 'image', source: { type: 'file', file_id: 'f' } }],
    [document('JVBERi0=', { name: 'a.pdf' }), { type: 'document', source: pdf, title: 'a.pdf' }],
    [document('xb4=', { mediaType: 'text/plain' }), { type: 'document', source: plain('ž') }],
    [media('document', { type: 'text', text: 'x' }), { type: 'document', source: plain('x') }],
    [media('document', link('https://x/a.pdf')), { type: 'document', source: link('https://x/a.pdf') }],
    [document('JVBERi0=', { name: 'a.txt' }), { type: 'document', source: pdf, title: 'a.txt' }],
    [document('eA==', { name: 'a.md' }), { type: 'document', source: plain('x'), title: 'a.md' }],
    [document('iVBORw0KGgoA', { name: 'a' }), { type: 'image', source: png }],
    [document('iVBORw0KGgoA', { mediaType: 'application/pdf' }), { type: 'image', source: png }],
    [media('image', bytes('JVBERi0='), { mediaType: 'image/png' }), { type: 'document', source: pdf }],
  ])('the media part %j is encoded', (part, expected) => {
    expect(messages(user(part))[0].content).toEqual([expected]);
  });

  test.each<[string, MediaPart]>([
    ['audio', media('audio', bytes('AA=='), { mediaType: 'audio/wav' })],
    ["another vendor's file", media('document', file('f', 'chat'))],
    ['a file without a media type', document('AA==', { name: 'a.bin' })],
    ['an image without a media type', media('image', bytes('AA=='))],
  ])('%s is refused', (_what, part) => {
    expect(refusal(user(part))).toMatchObject(invalid);
  });
});

describe('reasoning of earlier turns', () => {
  const content = (...parts: AssistantPart[]) => messages(hi, says(...parts))[1].content;

  test('signed thinking is sent back unchanged, in order and in place (pitfalls 17, 18, 19)', () => {
    const thoughts = [thought('a', signed('A')), thought('', signed('B')), text('x'), redacted('R')];
    expect(content(...thoughts, thought('c', signed('C')))).toEqual([
      { type: 'thinking', thinking: 'a', signature: 'A' },
      { type: 'thinking', thinking: '', signature: 'B' },
      text('x'),
      { type: 'redacted_thinking', data: 'R' },
      { type: 'thinking', thinking: 'c', signature: 'C' },
    ]);
  });

  test.each<[string, AssistantPart]>([
    ['of another vendor', thought('a', signed('A', 'generate-content'))],
    ['unsigned', thought('a')],
    ['with an empty signature', thought('a', signed(''))],
  ])('reasoning %s is not sent (pitfall 5)', (_what, part) => {
    expect(content(part, text('x'))).toEqual([text('x')]);
  });

  test('blocks of this format are sent back unchanged, others as text', () => {
    const value = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    expect(content(opaque(value), opaque({ a: 1 }, 'chat'))).toEqual([value, text('{"a":1}')]);
  });
});
