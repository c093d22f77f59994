import { expect, test } from 'vitest';
import { parse } from './parse.ts';

const extrasOf = (fields: object) => parse({ model: 'm', input: 'Hi', ...fields }).extras;
const tools = (...types: string[]) => ({ tools: types.map(type => ({ type })) });

test.each([
  [{}],
  [
    {
      tools: [
        { type: 'function', name: 'f' },
        { type: 'custom', name: 'c' },
      ],
    },
  ],
  [tools('local_shell', 'apply_patch', 'computer_use_preview')],
  [
    {
      tools: [
        { type: 'tool_search', execution: 'client' },
        { type: 'shell', environment: { type: 'local' } },
      ],
    },
  ],
  [{ ...tools('web_search', 'mcp'), tool_choice: 'none' }],
  [{ service_tier: 'default' }],
])('%j asks for nothing beside tokens', fields => {
  expect(extrasOf(fields)).toBeUndefined();
});

test.each(['image_generation', 'code_interpreter', 'file_search', 'mcp', 'shell'])(
  '%s is a hosted tool of this format alone',
  name => {
    expect(extrasOf(tools(name))).toEqual({
      format: 'responses',
      tools: [{ name, field: 'tools', own: true }],
    });
  },
);

test('a web search goes to targets of other formats, too, unless it is of the cache or of some domains', () => {
  const search = { name: 'web_search', field: 'tools' };
  for (const type of ['web_search', 'web_search_preview', 'web_search_2025_08_26'])
    expect(extrasOf(tools(type))?.tools).toEqual([search]);
  for (const own of [{ external_web_access: false }, { filters: { allowed_domains: ['a.com'] } }])
    expect(extrasOf({ tools: [{ type: 'web_search', ...own }] })?.tools).toEqual([{ ...search, own: true }]);
});

test.each(['priority', 'flex'])('the service tier %s is not the usual one', tier => {
  expect(extrasOf({ service_tier: tier })).toEqual({ format: 'responses', tier });
});
