import { badRequest } from '../openai-error.ts';
import type { ToolChoice, Tools } from '../responder/prompt.ts';
import { checkStrict } from './checks.ts';
import type { CalledTool, Item, Tool } from './item.ts';
import type { CountRequest } from './request.ts';

export interface Origin {
  name: string;
  namespace?: string;
}

interface ParsedTools extends Tools {
  /** By a name that is unique over all namespaces. */
  origins: Map<string, Origin>;
  maySearch: boolean;
}

/** Reads the tools and the tool choice. Hosted tools are never called. @throws ApiError */
export function readTools(request: CountRequest, items: Item[]): ParsedTools {
  const offered = [
    ...(request.tools ?? []),
    ...items.flatMap(item => (item.type === 'additional_tools' ? item.tools : [])),
  ];
  checkSchemas(request.tools ?? []);
  const called = offered.flatMap(calledIn);
  const choice = request.tool_choice ?? 'auto';
  const { toolChoice, kept } = chosen(choice, called);
  if (choice === 'required' && offered.length === 0)
    throw badRequest("Tool choice 'required' must be specified with 'tools' parameter.", null, 'tool_choice');
  return {
    tools: kept.map(({ key, tool }) => ({
      kind: tool.type,
      name: key,
      description: tool.description ?? '',
      parameters: tool.type === 'function' ? tool.parameters : undefined,
    })),
    toolChoice,
    parallel: request.parallel_tool_calls ?? true,
    origins: new Map(called.map(({ key, origin }) => [key, origin])),
    maySearch: choice !== 'none' && offered.some(({ type }) => type.startsWith('web_search')),
  };
}

interface Called {
  key: string;
  origin: Origin;
  tool: CalledTool;
}

function calledIn(tool: Tool): Called[] {
  if (tool.type === 'function' || tool.type === 'custom')
    return [{ key: tool.name, origin: { name: tool.name }, tool }];
  if (tool.type !== 'namespace') return [];
  const { name: namespace, tools } = tool as Extract<Tool, { type: 'namespace' }>;
  return tools.map(inner => ({
    key: keyOf({ name: inner.name, namespace }),
    origin: { name: inner.name, namespace },
    tool: inner,
  }));
}

function keyOf({ name, namespace }: { name: string; namespace?: string | null | undefined }): string {
  return namespace ? `${namespace}.${name}` : name;
}

function chosen(
  choice: NonNullable<CountRequest['tool_choice']>,
  called: Called[],
): { toolChoice: ToolChoice; kept: Called[] } {
  if (typeof choice === 'string') return { toolChoice: choice, kept: called };
  if (choice.type === 'allowed_tools' && 'mode' in choice) {
    const { mode, tools } = choice as { mode: 'auto' | 'required'; tools: { name?: string | null }[] };
    const allowed = new Set(tools.flatMap(tool => (tool.name ? [keyOf({ ...tool, name: tool.name })] : [])));
    return { toolChoice: mode, kept: called.filter(({ key }) => allowed.has(key)) };
  }
  if (choice.type !== 'function' && choice.type !== 'custom') return { toolChoice: 'auto', kept: called };
  const { name, namespace } = choice as Origin;
  const key = keyOf({ name, namespace });
  if (!called.some(tool => tool.key === key && tool.tool.type === choice.type))
    throw badRequest(`Tool choice '${name}' not found in 'tools' parameter.`, null, 'tool_choice');
  return { toolChoice: { name: key }, kept: called };
}

function checkSchemas(tools: Tool[]): void {
  for (const [at, tool] of tools.entries())
    if (tool.type === 'function' && tool.strict === true)
      checkStrict(
        tool.parameters,
        `function '${String(tool.name)}'`,
        'invalid_function_parameters',
        `tools[${at}].parameters`,
      );
}
