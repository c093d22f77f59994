import type { Prompt, Tool, ToolChoice } from '../mind/prompt.ts';
import type { ChatRequest } from './request.ts';

type Named = { name?: string | null } | null | undefined;

/** Reads which tools may be called, and which must. */
export function readTools(request: ChatRequest): Pick<Prompt, 'tools' | 'toolChoice' | 'parallel'> {
  const { tool_choice: choice } = request;
  const tools = (request.tools ?? []).flatMap(toTool);
  const parallel = request.parallel_tool_calls ?? true;
  if (!choice || typeof choice === 'string') return { tools, toolChoice: mode(choice), parallel };
  if (choice.allowed_tools) {
    const allowed = new Set(choice.allowed_tools.tools?.map(nameOf));
    const kept = tools.filter(tool => allowed.has(tool.name));
    return { tools: kept, toolChoice: mode(choice.allowed_tools.mode), parallel };
  }
  const name = nameOf(choice);
  return { tools, toolChoice: name ? { name } : 'auto', parallel };
}

function toTool({ function: plain, custom }: NonNullable<ChatRequest['tools']>[number]): Tool[] {
  const tool = plain ?? custom;
  if (!tool) return [];
  const { name, description } = tool;
  return [
    {
      kind: plain ? 'function' : 'custom',
      name,
      description: description ?? '',
      parameters: plain?.parameters,
    },
  ];
}

function mode(choice: string | null | undefined): ToolChoice {
  return choice === 'none' || choice === 'required' ? choice : 'auto';
}

function nameOf(choice: { function?: Named; custom?: Named }): string | undefined {
  return choice.function?.name ?? choice.custom?.name ?? undefined;
}
