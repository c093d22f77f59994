import { describe, expect, test } from 'vitest';
import { encodeInput } from '../testing/encode-input.ts';
import { encode } from './encode.ts';
import { nestTools, parse } from './parse.ts';

const sent = (text: string, { foreign = true, model = 'gpt-x' } = {}) =>
  encode(encodeInput({ model, text: Buffer.from(text) }, { foreign })).body.toString();
const history = (messages: object[], model?: string) =>
  JSON.parse(sent(JSON.stringify({ messages }), model ? { model } : {})).messages;
const call = (id: string, more = {}) => ({
  ...{ id, type: 'function', function: { name: 'f', arguments: '{ "n": 1.0 }' } },
  ...more,
});
const turn = (fields: object) => ({ role: 'assistant', content: null, name: 'bob', ...fields });

test('a request with a foreign history keeps every byte outside it, and the numbers inside', () => {
  const turn = '{"role":"user","content":"a","n":12345678901234567890,"__proto__":{"a":1.0}}';
  const body = `{ "seed":12345678901234567890, "messages":[${turn}] ,"model":"m","unknown":[ 1.0 ]}`;
  const passed = `{"seed":12345678901234567890,"messages":[${turn}],"model":"gpt-x","unknown":[ 1.0 ]}`;
  expect(sent(body)).toBe(passed);
});

test('a request without a foreign history is sent unchanged', () => {
  const body = JSON.stringify({ messages: [turn({ tool_calls: [call('a__thought__s')] })], model: 'm' });
  expect(sent(body, { foreign: false })).toBe(body.replace('"m"', '"gpt-x"'));
});

test('tagged signatures are removed, and the rest of the turn is kept', () => {
  const own = { type: 'thinking', thinking: 'a', signature: 'EqQB' };
  const others = [
    { type: 'thinking', thinking: 'b', signature: 'gg:s' },
    { type: 'redacted_thinking', data: 'or:s' },
  ];
  const mixed = turn({ thinking_blocks: [own, ...others], reasoning_content: 'ab' });
  expect(history([mixed, turn({ thinking_blocks: others, refusal: 'No' })])).toEqual([
    turn({ thinking_blocks: [own], reasoning_content: 'ab', content: '' }),
    turn({ refusal: 'No' }),
  ]);
});

test('signatures in ids of calls and results are removed, and sent to Google in their own field', () => {
  const result = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'x' });
  const messages = [turn({ tool_calls: [call('c__thought__s+/='), call('d')] }), result('c__thought__s+/=')];
  expect(history(messages)).toEqual([turn({ tool_calls: [call('c'), call('d')] }), result('c')]);
  const extra_content = { google: { thought_signature: 's+/=' } };
  const calls = [call('c', { extra_content }), call('d')];
  expect(history(messages, 'gemini-3-pro')).toEqual([turn({ tool_calls: calls }), result('c')]);
});

test('malformed fields are kept, so that the upstream refuses them', () => {
  const messages = [turn({ thinking_blocks: 5, tool_calls: [null, { id: 5 }] }), { role: 'tool' }];
  expect(history(messages)).toEqual(messages);
});

test('arguments that are no JSON text are kept as such', () => {
  const called = (args: unknown) => ({ name: 'f', arguments: args });
  const mended = (args: unknown) => {
    const tool_calls = [{ id: 'c', type: 'function', function: called(args) }];
    const [first, second] = history([turn({ tool_calls }), turn({ function_call: called(args) })]);
    expect(second.function_call).toEqual(first.tool_calls[0].function);
    return first.tool_calls[0].function.arguments;
  };
  expect(mended('{"x":')).toBe('{"_raw":"{\\"x\\":"}');
  expect(mended({ x: 1 })).toBe('{"x":1}');
  expect(mended('{ "x": 1.0 }')).toBe('{ "x": 1.0 }');
  expect(mended('')).toBe('');
});

test('content that is null is an empty text where it is needed', () => {
  const tool = { role: 'tool', tool_call_id: 'c', content: null };
  const called = turn({ tool_calls: [call('c')] });
  const refused = turn({ refusal: 'No' });
  expect(
    history([turn({ reasoning_content: 'Hm' }), turn({ tool_calls: [] }), called, tool, refused]),
  ).toEqual([
    ...[turn({ reasoning_content: 'Hm', content: '' }), turn({ tool_calls: [], content: '' }), called],
    ...[{ ...tool, content: '' }, refused],
  ]);
});

test('media in other forms are sent as the format has them', () => {
  const parts = [
    { type: 'image_url', image_url: 'https://x.example/a.png' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,iV\r\nBO', detail: 'low' } },
    { type: 'input_audio', input_audio: { data: 'AA\nAA', format: 'wav' } },
    { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,iVBORw0KGgoAAAAN' } },
    { type: 'file', file: { file_id: 'file-1' } },
    { type: 'text', text: 'a\nb' },
  ];
  const content = [
    { type: 'image_url', image_url: { url: 'https://x.example/a.png' } },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO', detail: 'low' } },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgoAAAAN' } },
    ...parts.slice(4),
  ];
  expect(history([{ role: 'user', content: parts }])).toEqual([{ role: 'user', content }]);
  const tool = { role: 'tool', tool_call_id: 'c' };
  expect(history([{ ...tool, content: parts }])).toEqual([{ ...tool, content }]);
});

const parameters = { type: 'object', properties: { q: { type: 'string' } } };
const fields = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
/** The body as upstreams of the format get it, and as it is validated. */
function nested(more: object) {
  const body: Record<string, unknown> = { ...fields, ...more };
  const text = nestTools(body, Buffer.from(JSON.stringify(body)));
  expect(JSON.parse(text.toString())).toEqual(body);
  return { body, text };
}
const fn = { type: 'function', function: { name: 'f', description: 'd', parameters } };

describe('tools in another shape are nested', () => {
  test.each<[string, object, object]>([
    ['responses', { type: 'function', name: 'f', description: 'd', parameters }, fn],
    [
      'responses, strict',
      { type: 'function', name: 'f', parameters, strict: true },
      { type: 'function', function: { name: 'f', parameters, strict: true } },
    ],
    ['messages', { name: 'f', description: 'd', input_schema: parameters }, fn],
    [
      'messages, with its type and a cache breakpoint',
      { type: 'custom', name: 'f', input_schema: parameters, cache_control: { type: 'ephemeral' } },
      { ...fn, function: { name: 'f', parameters }, cache_control: { type: 'ephemeral' } },
    ],
    ['neither, without type and schema', { name: 'f' }, { type: 'function', function: { name: 'f' } }],
    [
      'a custom tool of responses',
      { type: 'custom', name: 'f', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
      {
        type: 'custom',
        custom: { name: 'f', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
      },
    ],
  ])('%s', (_what, tool, expected) => {
    expect(nested({ tools: [fn, tool] }).body.tools).toEqual([fn, expected]);
  });

  test.each<[object, unknown]>([
    [
      { type: 'function', name: 'f' },
      { type: 'function', function: { name: 'f' } },
    ],
    [
      { type: 'tool', name: 'f' },
      { type: 'function', function: { name: 'f' } },
    ],
    [
      { type: 'custom', name: 'f' },
      { type: 'custom', custom: { name: 'f' } },
    ],
    [{ type: 'any' }, 'required'],
    [{ type: 'auto', disable_parallel_tool_use: true }, 'auto'],
    [{ type: 'none' }, 'none'],
  ])('the choice %j', (choice, expected) => {
    expect(nested({ tools: [fn], tool_choice: choice }).body.tool_choice).toEqual(expected);
  });

  test('and the others of the body keep every byte', () => {
    const text = Buffer.from(
      '{"model":"m", "seed":12345678901234567890,"tools":[{"name":"f","input_schema":{"maximum":12345678901234567890}}]}',
    );
    const edited = nestTools(JSON.parse(text.toString()), text).toString();
    expect(edited).toContain('"model":"m"');
    expect(edited).toContain('"seed":12345678901234567890');
    expect(edited).toContain('"parameters":{"maximum":12345678901234567890}');
  });
});

test.each<[object]>([
  [{}],
  [{ tools: null, tool_choice: null }],
  [{ tools: [], tool_choice: 'auto' }],
  [{ tools: [fn], tool_choice: { type: 'function', function: { name: 'f' } } }],
  [{ tools: [{ function: { name: 'f' } }] }],
  // Tools that a server of the format runs.
  [{ tools: [{ type: 'web_search' }, { type: 'web_search_20250305', name: 'web_search' }] }],
  [{ tools: ['f', 5, null] }],
  [{ tool_choice: { type: 'allowed_tools', allowed_tools: {} } }],
])('%j stays as it is', more => {
  const text = Buffer.from(JSON.stringify({ ...fields, ...more }));
  expect(nestTools({ ...fields, ...more }, text)).toBe(text);
});

test.each([[{ function: fn.function }], [{ type: null, function: fn.function }], [fn]])(
  'the tool %j is translated, with or without its type',
  tool => {
    const { tools } = parse({ ...fields, tools: [tool] }).canonical();
    expect(tools).toEqual([{ type: 'function', name: 'f', description: 'd', parameters }]);
  },
);
