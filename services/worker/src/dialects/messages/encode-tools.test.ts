import type { GenerateRequest } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { refusal } from '../../testing/encode-input.ts';
import { body, budgetModel, hi, tool } from '../../testing/messages-request.ts';
import { toolsByName } from './encode-tools.ts';

describe('tools', () => {
  test('tools are encoded in this format', () => {
    const { tools } = body({
      tools: [
        { ...tool, description: 'd', strict: true, cache: { ttl: '5m' } },
        { type: 'function', name: 'g' },
        { type: 'function', name: 'h', parameters: {} },
        { type: 'custom', name: 'py', description: 'runs', format: { type: 'text' } },
        {
          type: 'web-search',
          own: { format: 'messages', value: { type: 'web_search_20250305', name: 'web_search' } },
        },
      ],
    });
    const none = { type: 'object', properties: {} };
    expect(tools).toEqual([
      {
        name: 'f',
        description: 'd',
        input_schema: tool.parameters,
        strict: true,
        cache_control: { type: 'ephemeral', ttl: '5m' },
      },
      { name: 'g', input_schema: none },
      { name: 'h', input_schema: none },
      {
        name: 'py',
        description: 'runs',
        input_schema: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
      },
      { type: 'web_search_20250305', name: 'web_search' },
    ]);
  });

  test('tools that another vendor runs are refused', () => {
    const run = { format: 'responses', value: { type: 'code_interpreter' } } as const;
    const { path, message } = refusal(() => body({ tools: [{ type: 'opaque', ...run }] }));
    expect(path).toBe('tools');
    expect(message).toContain("'code_interpreter'");
    // Google names the tool by its field.
    const other = { format: 'generate-content', value: { codeExecution: {} } } as const;
    expect(refusal(() => body({ tools: [{ type: 'opaque', ...other }] })).message).toContain(
      "'codeExecution'",
    );
  });

  test('tools with invalid names are renamed and mapped back', () => {
    const request: GenerateRequest = { messages: [hi], tools: [{ type: 'function', name: 'ns.f:1' }] };
    const { name } = body(request).tools[0];
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(toolsByName(request, budgetModel).get(name)).toEqual({ type: 'function', name: 'ns.f:1' });
    expect(body({ ...request, toolChoice: { type: 'tool', name: 'ns.f:1' } }).tool_choice.name).toBe(name);
  });

  test.each<[Partial<GenerateRequest>, object | undefined]>([
    [{}, undefined],
    [{ parallelToolCalls: true }, undefined],
    [{ parallelToolCalls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [
      { parallelToolCalls: false, toolChoice: { type: 'required' } },
      { type: 'any', disable_parallel_tool_use: true },
    ],
    [
      { parallelToolCalls: false, toolChoice: { type: 'tool', name: 'f' } },
      { type: 'tool', name: 'f', disable_parallel_tool_use: true },
    ],
    [{ parallelToolCalls: false, toolChoice: { type: 'none' } }, { type: 'none' }],
  ])('the tool choice is encoded: %j', (request, expected) => {
    expect(body({ tools: [tool], ...request }).tool_choice).toEqual(expected);
  });

  test('tools that may not be chosen are left out', () => {
    const tools = [tool, { ...tool, name: 'g' }, { ...tool, name: 'h' }];
    const sent = body({ tools, toolChoice: { type: 'required', names: ['h', 'f'] } });
    expect(sent.tools.map(({ name }: { name: string }) => name)).toEqual(['f', 'h']);
    expect(sent.tool_choice).toEqual({ type: 'any' });
  });

  test('an empty list of tools leaves out the tool choice', () => {
    const sent = body({ tools: [], toolChoice: { type: 'auto' }, parallelToolCalls: false });
    expect(sent).not.toHaveProperty('tools');
    expect(sent).not.toHaveProperty('tool_choice');
  });
});
