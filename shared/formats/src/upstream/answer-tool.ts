import type { GenerateRequest } from '@model-gateway/canonical';

/** A tool sent upstream: a tool of the client with its original name, or the answer tool. */
export type KnownTool = { type: 'function' | 'custom'; name: string } | { type: 'answer' };

/** Returns the tools of a request, with its answer tool, by their names at the upstream. */
export function knownTools(
  { tools = [] }: GenerateRequest,
  toolName: (name: string) => string,
  answer: { name: string } | undefined,
): Map<string, KnownTool> {
  const known = new Map<string, KnownTool>();
  for (const tool of tools)
    if ('name' in tool) known.set(toolName(tool.name), { type: tool.type, name: tool.name });
  if (answer) known.set(answer.name, { type: 'answer' });
  return known;
}

/** The tool whose input is the answer. */
interface AnswerTool {
  name: string;
  description: string;
  schema: Record<string, unknown>;
}

/** The instruction for models that have no setting for any JSON object. */
export const jsonOnly = 'Answer with one valid JSON object and nothing else: no explanation, no code fence.';

/** Returns the answer tool, for models without structured output; undefined if the request has no schema. */
export function answerToolOf({ output, tools = [] }: GenerateRequest): AnswerTool | undefined {
  if (output?.type !== 'schema') return undefined;
  const taken = new Set(tools.map(tool => ('name' in tool ? tool.name : undefined)));
  let name = 'final_answer';
  while (taken.has(name)) name += '_';
  return {
    name,
    description: 'Gives the final answer. Call it exactly once, as the last thing you do.',
    schema: { type: 'object', ...output.schema },
  };
}

/** True if the root of a schema allows objects. */
export function isObjectSchema({ type = 'object' }: Record<string, unknown>): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}
