import type { GenerateFormat, GenerateRequest, ToolChoice } from '@model-gateway/canonical';
import { parseExact } from '@model-gateway/json';
import { describe, expect, test } from 'vitest';
import { body, input, refused, tool, user } from '../../testing/generate-content-request.ts';
import { encode } from './encode.ts';
import { toolsByName } from './encode-tools.ts';

describe('tools', () => {
  test('tools are declared with their JSON schema (pitfall 13)', () => {
    const parameters = {
      type: 'object',
      properties: {
        const: { const: 'a' },
        list: { type: 'array', items: { anyOf: [{ const: 1 }, { $ref: '#' }] } },
      },
      additionalProperties: false,
    };
    const { tools } = body({
      tools: [
        { type: 'function', name: 'f', description: 'd', parameters, strict: true },
        { type: 'function', name: 'bare' },
        { type: 'custom', name: 'py', description: 'p' },
      ],
    });
    expect(tools).toEqual([
      {
        functionDeclarations: [
          {
            name: 'f',
            description: 'd',
            parametersJsonSchema: {
              ...parameters,
              properties: {
                const: { enum: ['a'] },
                list: { type: 'array', items: { anyOf: [{ enum: [1] }, { $ref: '#' }] } },
              },
            },
          },
          { name: 'bare' },
          {
            name: 'py',
            description: 'p',
            parametersJsonSchema: {
              type: 'object',
              properties: { input: { type: 'string' } },
              required: ['input'],
            },
          },
        ],
      },
    ]);
  });

  test('tool schemas keep exact numbers', () => {
    const parameters = parseExact('{"type":"integer","maximum":18446744073709551615}') as Record<
      string,
      unknown
    >;
    const request: GenerateRequest = {
      messages: [user('x')],
      tools: [{ type: 'function', name: 'f', parameters }],
    };
    expect(encode(input({ request })).body.toString()).toContain('"maximum":18446744073709551615');
  });

  test('tool names are converted to allowed names and back', () => {
    const names = ['1st', 'a/b', 'a b', 'x'.repeat(80), 'ok.name:1-a'];
    const tools = names.map(name => ({ type: 'function' as const, name }));
    const declared: string[] = body({ tools }).tools[0].functionDeclarations.map(
      (f: { name: string }) => f.name,
    );
    for (const name of declared) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/);
    expect(new Set(declared).size).toBe(names.length);
    expect(declared.map(name => toolsByName({ tools }).get(name)?.name)).toEqual(names);
    expect(declared.at(-1)).toBe('ok.name:1-a');
  });

  test.each<[ToolChoice, object]>([
    [{ type: 'auto' }, { mode: 'AUTO' }],
    [{ type: 'required' }, { mode: 'ANY' }],
    [{ type: 'none' }, { mode: 'NONE' }],
    [
      { type: 'tool', name: 'f' },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
    [
      { type: 'required', names: ['f'] },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
    [
      { type: 'auto', names: ['f'] },
      { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
    ],
  ])('tool choice %j becomes a functionCallingConfig', (toolChoice, functionCallingConfig) => {
    expect(body({ tools: [tool], toolChoice, parallelToolCalls: false }).toolConfig).toEqual({
      functionCallingConfig,
    });
  });

  test('toolConfig is absent without a tool choice or without tools', () => {
    expect(body({ tools: [tool] })).not.toHaveProperty('toolConfig');
    expect(body({ toolChoice: { type: 'none' } })).not.toHaveProperty('toolConfig');
  });

  test.each<[GenerateRequest['tools'], ToolChoice]>([
    [[], { type: 'required' }],
    [[tool], { type: 'tool', name: 'g' }],
    [[{ type: 'web-search' }], { type: 'required' }],
    [[tool, { type: 'web-search' }], { type: 'tool', name: 'web_search' }],
  ])('tools %j with the choice %j are refused', (tools, toolChoice) => {
    expect(refused({ tools, toolChoice })).toMatchObject({ kind: 'invalid-request' });
  });

  test("web searches of every format and the vendor's other tools are sent", () => {
    const search = (format: GenerateFormat, value: Record<string, unknown>) =>
      ({ type: 'web-search', own: { format, value } }) as const;
    expect(
      body({
        tools: [
          tool,
          { type: 'web-search', location: { city: 'Oslo' } },
          search('messages', { type: 'web_search_20250305', name: 'web_search', max_uses: 3 }),
          search('generate-content', { googleSearch: { timeRangeFilter: {} } }),
          { type: 'opaque', format: 'generate-content', value: { codeExecution: {} } },
        ],
      }).tools.slice(1),
    ).toEqual([
      { googleSearch: {} },
      { googleSearch: {} },
      { googleSearch: { timeRangeFilter: {} } },
      { codeExecution: {} },
    ]);
  });

  test('vendor tools are left out with the tool choice none', () => {
    const tools = [tool, { type: 'web-search' as const }];
    expect(body({ tools, toolChoice: { type: 'none' } }).tools).toHaveLength(1);
  });

  test.each<[string, NonNullable<GenerateRequest['tools']>[number]]>([
    ['that another vendor runs', { type: 'opaque', format: 'messages', value: { type: 'bash_20250124' } }],
    [
      'bound to allowed domains',
      { type: 'web-search', own: { format: 'messages', value: { allowed_domains: ['x.org'] } } },
    ],
    [
      'bound to blocked domains',
      {
        type: 'web-search',
        own: { format: 'responses', value: { filters: { blocked_domains: ['x.org'] } } },
      },
    ],
  ])('a tool %s is refused', (_what, unsupported) => {
    expect(refused({ tools: [unsupported] })).toMatchObject({ kind: 'invalid-request', path: 'tools' });
  });
});
