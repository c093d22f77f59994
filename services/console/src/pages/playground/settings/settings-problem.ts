import type { Settings, ToolDefinition } from '../conversation/settings.ts';
import { schemaProblem } from './schema-problem.ts';

/** Returns what is wrong with a tool's name; undefined if nothing is. */
export function nameProblem({ name }: ToolDefinition, tools: readonly ToolDefinition[]): string | undefined {
  if (name === '') return 'A tool needs a name.';
  if (!/^[\w-]{1,64}$/.test(name)) return 'A name has up to 64 letters, digits, _ and -.';
  return tools.filter(tool => tool.name === name).length > 1 ? 'Another tool has this name.' : undefined;
}

/** Returns the reason why nothing can be sent with these settings; undefined if it can. */
export function settingsProblem({ tools, output, outputSchema, outputName }: Settings): string | undefined {
  const broken = tools.find(tool => nameProblem(tool, tools) || schemaProblem(tool.schema));
  if (broken) return `The tool ${broken.name || 'without a name'} is not valid.`;
  if (output !== 'schema') return undefined;
  if (!/^[\w-]{1,64}$/.test(outputName)) return 'The name of the output schema is not valid.';
  return schemaProblem(outputSchema) ? 'The output schema is not valid.' : undefined;
}
