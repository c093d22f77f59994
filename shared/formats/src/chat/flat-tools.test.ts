import { describe, expect, test } from 'vitest';
import { parse } from './parse.ts';
import { nestTools } from './parse-tools.ts';

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
