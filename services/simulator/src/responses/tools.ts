import { type ClientTool, flatName } from '@model-gateway/formats/responses';
import { badRequest } from '../openai-error.ts';
import { checkStrict } from './checks.ts';
import type { Item, Tool } from './item.ts';
import type { CountRequest } from './request.ts';

/** Checks the tools and the tool choice. @throws ApiError */
export function checkTools({ tools, tool_choice: choice }: CountRequest, items: Item[]): void {
  const offered = [
    ...(tools ?? []),
    ...items.flatMap(item => (item.type === 'additional_tools' ? item.tools : [])),
  ];
  checkSchemas(tools ?? []);
  if (choice === 'required' && offered.length === 0)
    throw badRequest("Tool choice 'required' must be specified with 'tools' parameter.", null, 'tool_choice');
  if (typeof choice !== 'object' || (choice?.type !== 'function' && choice?.type !== 'custom')) return;
  const { name, namespace } = choice as ClientTool;
  if (!offered.flatMap(namesIn).includes(`${choice.type} ${flatName(name, namespace)}`))
    throw badRequest(`Tool choice '${name}' not found in 'tools' parameter.`, null, 'tool_choice');
}

/** The type and the name of each tool of the client. */
function namesIn(tool: Tool): string[] {
  if (tool.type === 'function' || tool.type === 'custom') return [`${tool.type} ${tool.name}`];
  if (tool.type !== 'namespace') return [];
  const { name: namespace, tools } = tool as Extract<Tool, { type: 'namespace' }>;
  return tools.map(({ type, name }) => `${type} ${flatName(name, namespace)}`);
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
