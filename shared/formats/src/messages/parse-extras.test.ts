import { expect, test } from 'vitest';
import { parse } from './parse.ts';

const extrasOf = (fields: object) =>
  parse({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }], ...fields }, {}).extras;
const tool = (type: string) => ({ tools: [{ type, name: 'x' }] });

test.each([
  [{}],
  [{ tools: [{ name: 'f', input_schema: { type: 'object' } }] }],
  [tool('bash_20250124')],
  [tool('text_editor_20250728')],
  [tool('memory_20250818')],
  [{ ...tool('web_search_20250305'), tool_choice: { type: 'none' } }],
  [{ service_tier: 'standard_only', mcp_servers: [] }],
])('%j asks for nothing beside tokens', fields => {
  expect(extrasOf(fields)).toBeUndefined();
});

test.each([
  [tool('web_search_20250305'), { name: 'web_search', field: 'tools' }],
  [tool('web_fetch_20250910'), { name: 'web_fetch', field: 'tools', own: true }],
  [tool('code_execution_20250825'), { name: 'code_execution', field: 'tools', own: true }],
  [{ mcp_servers: [{ type: 'url', url: 'https://x' }] }, { name: 'mcp', field: 'mcp_servers', own: true }],
])('%j asks for a hosted tool', (fields, expected) => {
  expect(extrasOf(fields)).toEqual({ format: 'messages', tools: [expected] });
});

test('the fast mode is a tier of its own', () => {
  expect(extrasOf({ speed: 'fast' })).toEqual({ format: 'messages', tier: 'fast' });
});
