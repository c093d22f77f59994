import type { Prompt, ToolChoice } from '../mind/prompt.ts';
import { wrong } from './complaint.ts';
import type { CountRequest, CustomTool, Tool } from './request.ts';

/** Reads which tools may be called, and which must; those that the vendor runs never are. @throws Refusal */
export function readTools(request: CountRequest): Pick<Prompt, 'tools' | 'toolChoice' | 'parallel'> {
  const { tools = [], tool_choice: choice } = request;
  const names = tools.map(({ name }) => name).filter(name => name !== undefined);
  if (new Set(names).size < names.length) throw wrong('tools: Tool names must be unique.');
  if (choice && tools.length === 0 && choice.type !== 'none')
    throw wrong('tool_choice: tool_choice may only be specified while providing tools.');
  if (choice?.type === 'tool' && !names.includes(choice.name))
    throw wrong(`Tool '${choice.name}' not found in provided tools`);
  return {
    tools: tools.filter(isCustom).map(({ name, description, input_schema }) => ({
      kind: 'function',
      name,
      description: description ?? '',
      parameters: input_schema,
    })),
    toolChoice: choiceOf(choice),
    parallel: !(choice && 'disable_parallel_tool_use' in choice && choice.disable_parallel_tool_use),
  };
}

function isCustom(tool: Tool): tool is CustomTool {
  return 'input_schema' in tool;
}

function choiceOf(choice: CountRequest['tool_choice']): ToolChoice {
  if (choice?.type === 'tool') return { name: choice.name };
  if (choice?.type === 'any') return 'required';
  return choice?.type ?? 'auto';
}
