import type { GenerateRequest } from '@model-gateway/canonical';
import { opaque, user } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { parseExact } from '@model-gateway/json';
import { expect, test } from 'vitest';
import { body, input, refused, tool } from '../testing/generate-content-request.ts';
import { encode } from './encode.ts';
import { toolsByName } from './encode-tools.ts';

type Fields = Partial<GenerateRequest>;

test.each(
  rows<[object, object]>`
  - - type: function
      name: f
      description: d
      strict: true
      parameters:
        type: object
        properties: {const: {const: a}, list: {type: array, items: {anyOf: [{const: 1}, {$ref: '#'}]}}}
        additionalProperties: false
    - name: f
      description: d
      parametersJsonSchema:
        type: object
        properties: {const: {enum: [a]}, list: {type: array, items: {anyOf: [{enum: [1]}, {$ref: '#'}]}}}
        additionalProperties: false
  - [{type: function, name: bare}, {name: bare}]
  - - {type: custom, name: py, description: p}
    - {name: py, description: p, parametersJsonSchema: {type: object, properties: {input: {type: string}}, required: [input]}}
`,
)('tools are declared with their JSON schema (pitfall 13)', (given, declared) => {
  const { tools } = body({ tools: [given, tool] as NonNullable<Fields['tools']> });
  expect(tools).toEqual([{ functionDeclarations: [declared, expect.objectContaining({ name: 'f' })] }]);
});

test('tool schemas keep exact numbers', () => {
  const parameters = parseExact('{"type":"integer","maximum":18446744073709551615}') as Record<
    string,
    unknown
  >;
  const request = { messages: [user('x')], tools: [{ ...tool, parameters }] };
  expect(encode(input({ request })).body.toString()).toContain('"maximum":18446744073709551615');
});

test('tool names are converted to allowed names and back', () => {
  const names = ['1st', 'a/b', 'a b', 'x'.repeat(80), 'ok.name:1-a'];
  const tools = names.map(name => ({ type: 'function' as const, name }));
  const [{ functionDeclarations }] = body({ tools }).tools;
  const declared: string[] = functionDeclarations.map(({ name }: { name: string }) => name);
  for (const name of declared) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/);
  expect(new Set(declared).size).toBe(names.length);
  expect(declared.map(name => toolsByName({ tools }).get(name)?.name)).toEqual(names);
  expect(declared.at(-1)).toBe('ok.name:1-a');
});

test.each(
  rows<[Fields['toolChoice'], object]>`
  - [{type: auto}, {mode: AUTO}]
  - [{type: required}, {mode: ANY}]
  - [{type: none}, {mode: NONE}]
  - [{type: tool, name: f}, {mode: ANY, allowedFunctionNames: [f]}]
  - [{type: required, names: [f]}, {mode: ANY, allowedFunctionNames: [f]}]
  - [{type: auto, names: [f]}, {mode: VALIDATED, allowedFunctionNames: [f]}]
`,
)('tool choice %j becomes a functionCallingConfig', (toolChoice, functionCallingConfig) => {
  const { toolConfig } = body({ tools: [tool], toolChoice, parallelToolCalls: false } as Fields);
  expect(toolConfig).toEqual({ functionCallingConfig });
});

test('toolConfig is absent without a tool choice or without tools', () => {
  expect(body({ tools: [tool] })).not.toHaveProperty('toolConfig');
  expect(body({ toolChoice: { type: 'none' } })).not.toHaveProperty('toolConfig');
});

test("web searches of every format and the vendor's other tools are sent, but not with the choice none", () => {
  const search = (format: 'messages' | 'generate-content', value: Record<string, unknown>) =>
    ({ type: 'web-search', own: { format, value } }) as const;
  const own = { googleSearch: { timeRangeFilter: {} } };
  const tools: Fields['tools'] = [
    ...[tool, { type: 'web-search' as const, location: { city: 'Oslo' } }],
    search('messages', { type: 'web_search_20250305', name: 'web_search', max_uses: 3 }),
    ...[search('generate-content', own), opaque({ codeExecution: {} }, 'generate-content')],
  ];
  const sent = [{ googleSearch: {} }, { googleSearch: {} }, own, { codeExecution: {} }];
  expect(body({ tools }).tools.slice(1)).toEqual(sent);
  expect(body({ tools, toolChoice: { type: 'none' } }).tools).toHaveLength(1);
});

test.each(
  rows<[Fields, string]>`
  - [{tools: [], toolChoice: {type: required}}, toolChoice]
  - [{tools: [{type: function, name: f}], toolChoice: {type: tool, name: g}}, toolChoice]
  - [{tools: [{type: web-search}], toolChoice: {type: required}}, toolChoice]
  - [{tools: [{type: function, name: f}, {type: web-search}], toolChoice: {type: tool, name: web_search}}, toolChoice]
  - [{tools: [{type: opaque, format: messages, value: {type: bash_20250124}}]}, tools]
  - [{tools: [{type: web-search, own: {format: messages, value: {allowed_domains: [x.org]}}}]}, tools]
  - [{tools: [{type: web-search, own: {format: responses, value: {filters: {blocked_domains: [x.org]}}}}]}, tools]
`,
)('%j is refused by the path %s', (fields, path) => {
  expect(refused(fields)).toMatchObject({ kind: 'invalid-request', path });
});
