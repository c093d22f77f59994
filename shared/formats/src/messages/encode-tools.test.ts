import type { GenerateRequest } from '@model-gateway/canonical';
import { opaque } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { expect, test } from 'vitest';
import { body, budgetModel, hi, refused, tool } from '../testing/messages-request.ts';
import { toolsByName } from './encode-tools.ts';

test.each(
  rows<[object, object]>`
  - - {type: function, name: f, parameters: &schema {type: object, properties: {x: {}}}, description: d, strict: true, cache: {ttl: 5m}}
    - {name: f, description: d, input_schema: *schema, strict: true, cache_control: {type: ephemeral, ttl: 5m}}
  - [{type: function, name: g}, {name: g, input_schema: {type: object, properties: {}}}]
  - [{type: function, name: h, parameters: {}}, {name: h, input_schema: {type: object, properties: {}}}]
  - - {type: custom, name: py, description: runs, format: {type: text}}
    - {name: py, description: runs, input_schema: {type: object, properties: {input: {type: string}}, required: [input]}}
  - - {type: web-search, own: {format: messages, value: {type: web_search_20250305, name: web_search}}}
    - {type: web_search_20250305, name: web_search}
`,
)('the tool %j is encoded', (given, expected) => {
  expect(body({ tools: [given] as GenerateRequest['tools'] } as GenerateRequest).tools).toEqual([expected]);
});

test('tools that another vendor runs are refused', () => {
  const message = (tool: ReturnType<typeof opaque>) => refused({ tools: [tool] });
  expect(message(opaque({ type: 'code_interpreter' }, 'responses'))).toMatchObject({
    ...{ path: 'tools', message: expect.stringContaining("'code_interpreter'") },
  });
  // Google names the tool by its field.
  const google = message(opaque({ codeExecution: {} }, 'generate-content'));
  expect(google?.message).toContain("'codeExecution'");
});

test('tools with invalid names are renamed and mapped back', () => {
  const request: GenerateRequest = { messages: [hi], tools: [{ type: 'function', name: 'ns.f:1' }] };
  const { name } = body(request).tools[0];
  expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(toolsByName(request, budgetModel).get(name)).toEqual({ type: 'function', name: 'ns.f:1' });
  expect(body({ ...request, toolChoice: { type: 'tool', name: 'ns.f:1' } }).tool_choice.name).toBe(name);
});

test.each(
  rows<[Partial<GenerateRequest>, object?]>`
  - [{}]
  - [{parallelToolCalls: true}]
  - [{parallelToolCalls: false}, {type: auto, disable_parallel_tool_use: true}]
  - [{parallelToolCalls: false, toolChoice: {type: required}}, {type: any, disable_parallel_tool_use: true}]
  - [{parallelToolCalls: false, toolChoice: {type: tool, name: f}}, {type: tool, name: f, disable_parallel_tool_use: true}]
  - [{parallelToolCalls: false, toolChoice: {type: none}}, {type: none}]
  - [{tools: [], toolChoice: {type: auto}, parallelToolCalls: false}]
`,
)('the tool choice is encoded: %j', (request, expected) => {
  expect(body({ tools: [tool], ...request }).tool_choice).toEqual(expected);
});

test('tools that may not be chosen are left out', () => {
  const tools = [tool, { ...tool, name: 'g' }, { ...tool, name: 'h' }];
  const sent = body({ tools, toolChoice: { type: 'required', names: ['h', 'f'] } });
  expect(sent).toMatchObject({ tools: [{ name: 'f' }, { name: 'h' }], tool_choice: { type: 'any' } });
  expect(body({ tools: [] })).not.toHaveProperty('tools');
});
