import type { AssistantPart, Message } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { refusal } from '../../testing/encode-input.ts';
import { body, call, hi, input, messages, result, says, user } from '../../testing/messages-request.ts';
import { encode } from './encode.ts';

describe('a conversation', () => {
  test('leading system messages become `system`, in order and with their cache breakpoints', () => {
    const { system, messages } = body({
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'a', cache: { ttl: '1h' } }] },
        {
          role: 'system',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: 'b' },
          ],
        },
        hi,
      ],
    });
    expect(system).toEqual([
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'text', text: 'b' },
    ]);
    expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]);
  });

  test('later system messages keep their place, and turns of the same role are merged', () => {
    const later: Message = { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] };
    expect(
      messages(hi, says({ type: 'text', text: 'x' }), later, user('y'), says({ type: 'text', text: 'z' })),
    ).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'x' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Be brief.' },
          { type: 'text', text: 'y' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'z' }] },
    ]);
  });

  test('a conversation without a first user turn gets one, except for messages clients', () => {
    const system: Message = { role: 'system', content: [{ type: 'text', text: 'a' }] };
    expect(messages(system)).toEqual([{ role: 'user', content: [{ type: 'text', text: '.' }] }]);
    expect(messages(system, says({ type: 'text', text: 'x' }))).toHaveLength(2);
    const other = input({ request: { messages: [system] } }, { format: 'messages' });
    expect(refusal(() => encode(other))).toMatchObject({ kind: 'invalid-request', path: 'messages' });
  });

  test('empty texts are left out (pitfall 16)', () => {
    const empty: AssistantPart = { type: 'text', text: '' };
    expect(messages(hi, says(empty, call('a')), result('a'), says(empty), user('y'))).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'ok' },
          { type: 'text', text: 'y' },
        ],
      },
    ]);
    expect(refusal(() => messages(user('')))).toMatchObject({ kind: 'invalid-request', path: 'messages' });
  });

  test('an assistant turn keeps text beside calls (pitfall 28), and refusals become text', () => {
    const turns = messages(
      hi,
      says({ type: 'text', text: 'x' }, call('a')),
      result('a'),
      says({ type: 'refusal', text: 'no' }),
    );
    expect(turns[1].content.map((block: { type: string }) => block.type)).toEqual(['text', 'tool_use']);
    expect(turns[3].content).toEqual([{ type: 'text', text: 'no' }]);
  });
});

describe('tool calls and results', () => {
  test.each([
    ['', {}],
    [' ', {}],
    ['null', {}],
    ['[1,2]', { value: [1, 2] }],
    ['"s"', { value: 's' }],
    ['5', { value: 5 }],
  ])('the arguments %j become the input %j', (args, expected) => {
    expect(messages(hi, says(call('a', args)), result('a'))[1].content[0].input).toEqual(expected);
  });

  test('malformed arguments are refused with the call id in the message', () => {
    const { kind, message } = refusal(() => messages(hi, says(call('call_7', '{"x":')), result('call_7')));
    expect(kind).toBe('invalid-request');
    expect(message).toContain('call_7');
  });

  test('a custom tool call becomes an object with `input`', () => {
    const custom: AssistantPart = {
      type: 'tool-call',
      id: 'a',
      name: 'py',
      arguments: 'x = {',
      custom: true,
    };
    expect(messages(hi, says(custom), result('a'))[1].content[0].input).toEqual({ input: 'x = {' });
  });

  test.each(['call+a/b=', 'id with spaces', 'x'.repeat(80), 'call_x__thought__abc+/=='])(
    'the id %s is replaced by the same id in call and result (pitfalls 5, 6)',
    id => {
      const [, assistant, results] = messages(hi, says(call(id)), result(id));
      const { id: sent } = assistant.content[0];
      expect(sent).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(results.content[0].tool_use_id).toBe(sent);
      expect(messages(hi, says(call(id)), result(id))[1].content[0].id).toBe(sent);
    },
  );

  test('all tool results are in one user turn, in front of its text (pitfall 11)', () => {
    const failed: Message = {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          callId: 'b',
          content: [{ type: 'text', text: 'offline' }],
          error: true,
          cache: {},
        },
      ],
    };
    const later: Message = { role: 'system', content: [{ type: 'text', text: 'note' }] };
    expect(messages(hi, says(call('a'), call('b')), later, result('a'), failed, user('Go on'))[2]).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'ok' },
        {
          type: 'tool_result',
          tool_use_id: 'b',
          content: 'offline',
          is_error: true,
          cache_control: { type: 'ephemeral' },
        },
        { type: 'text', text: 'note' },
        { type: 'text', text: 'Go on' },
      ],
    });
  });

  test('images and opaque blocks stay inside a tool result (pitfalls 14, 15)', () => {
    const rich: Message = {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          callId: 'a',
          content: [
            { type: 'text', text: '' },
            {
              type: 'media',
              kind: 'image',
              source: { type: 'base64', data: 'AA==' },
              mediaType: 'image/jpg',
            },
            { type: 'opaque', format: 'messages', value: { type: 'search_result', title: 'T' } },
            { type: 'opaque', format: 'responses', value: { type: 'x', y: 1 } },
          ],
        },
      ],
    };
    expect(messages(hi, says(call('a')), rich)[2].content[0].content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AA==' } },
      { type: 'search_result', title: 'T' },
      { type: 'text', text: '{"type":"x","y":1}' },
    ]);
  });

  test.each([
    ['a call without a result', [hi, says(call('a'), call('b')), result('a'), user('x')], "'b'"],
    ['a call in the last turn', [hi, says(call('a'))], "'a'"],
    ['a result without a call', [hi, result('z')], "'z'"],
    ['a second result for the same call', [hi, says(call('a')), result('a'), result('a')], "'a'"],
  ] as [string, Message[], string][])('%s is refused with the id in the message', (_what, turns, id) => {
    const { kind, message } = refusal(() => messages(...turns));
    expect(kind).toBe('invalid-request');
    expect(message).toContain(id);
  });
});

describe('media', () => {
  const block = (part: object) =>
    messages({ role: 'user', content: [{ type: 'media', ...part } as never] })[0].content[0];
  const file = (format: string) => ({ type: 'file', id: 'file_1', format });

  test.each<[object, object]>([
    [
      { kind: 'image', source: { type: 'base64', data: 'AA==' }, mediaType: 'image/png', cache: {} },
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'AA==' },
        cache_control: { type: 'ephemeral' },
      },
    ],
    [
      { kind: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
      { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
    ],
    [
      { kind: 'image', source: file('messages') },
      { type: 'image', source: { type: 'file', file_id: 'file_1' } },
    ],
    [
      { kind: 'document', source: { type: 'base64', data: 'JVBE' }, name: 'a.pdf' },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
        title: 'a.pdf',
      },
    ],
    [
      { kind: 'document', source: { type: 'base64', data: 'xb4=' }, mediaType: 'text/plain' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ž' } },
    ],
    [
      { kind: 'document', source: { type: 'text', text: 'x' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } },
    ],
    [
      { kind: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' } },
      { type: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' } },
    ],
    [
      { kind: 'document', source: { type: 'base64', data: 'JVBERi0=' }, name: 'a.txt' },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
        title: 'a.txt',
      },
    ],
    [
      { kind: 'document', source: { type: 'base64', data: 'eA==' }, name: 'a.md' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' }, title: 'a.md' },
    ],
    [
      { kind: 'document', source: { type: 'base64', data: 'iVBORw0KGgoA' }, name: 'a' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgoA' } },
    ],
  ])('the media part %j is encoded', (part, expected) => {
    expect(block(part)).toEqual(expected);
  });

  test.each<[string, object]>([
    ['audio', { kind: 'audio', source: { type: 'base64', data: 'AA==' }, mediaType: 'audio/wav' }],
    ["another vendor's file", { kind: 'document', source: file('chat') }],
    [
      'a file without a media type',
      { kind: 'document', source: { type: 'base64', data: 'AA==' }, name: 'a.bin' },
    ],
    ['an image without a media type', { kind: 'image', source: { type: 'base64', data: 'AA==' } }],
  ])('%s is refused', (_what, part) => {
    expect(refusal(() => block(part))).toMatchObject({ kind: 'invalid-request', path: 'messages' });
  });
});

describe('reasoning of earlier turns', () => {
  const thought = (text: string, value?: string, format = 'messages'): AssistantPart =>
    ({ type: 'reasoning', text, ...(value !== undefined && { signature: { format, value } }) }) as never;
  const content = (...parts: AssistantPart[]) => messages(hi, says(...parts))[1].content;
  const text: AssistantPart = { type: 'text', text: 'x' };

  test('signed thinking is sent back unchanged, in order and in place (pitfalls 17, 18, 19)', () => {
    const redacted: AssistantPart = {
      type: 'reasoning',
      text: '',
      redacted: true,
      signature: { format: 'messages', value: 'R' },
    };
    expect(content(thought('a', 'A'), thought('', 'B'), text, redacted, thought('c', 'C'))).toEqual([
      { type: 'thinking', thinking: 'a', signature: 'A' },
      { type: 'thinking', thinking: '', signature: 'B' },
      { type: 'text', text: 'x' },
      { type: 'redacted_thinking', data: 'R' },
      { type: 'thinking', thinking: 'c', signature: 'C' },
    ]);
  });

  test.each<[string, AssistantPart]>([
    ['of another vendor', thought('a', 'A', 'generate-content')],
    ['unsigned', thought('a')],
    ['with an empty signature', thought('a', '')],
  ])('reasoning %s is not sent (pitfall 5)', (_what, part) => {
    expect(content(part, text)).toEqual([{ type: 'text', text: 'x' }]);
  });

  test('blocks of this format are sent back unchanged', () => {
    const value = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    expect(content({ type: 'opaque', format: 'messages', value })).toEqual([value]);
    expect(content({ type: 'opaque', format: 'chat', value: { a: 1 } })).toEqual([
      { type: 'text', text: '{"a":1}' },
    ]);
  });
});
