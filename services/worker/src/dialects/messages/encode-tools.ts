import type { GenerateRequest, Tool, ToolChoice } from '@model-gateway/canonical';
import { cacheBreakpoint, refuse } from './encode-media.ts';
import { type ModelTraits, modelTraits } from './models.ts';
import { toolName } from './names.ts';

/** A tool sent upstream: a tool of the client with its original name, or the answer tool. */
export type KnownTool = { type: 'function' | 'custom'; name: string } | { type: 'answer' };

export type WireTool = Record<string, unknown>;

const noParameters = { type: 'object', properties: {} };
const freeText = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };

/**
 * Returns the answer tool, for models without structured output: its input is the response.
 * Undefined if it is not needed.
 */
export function answerTool(request: GenerateRequest, model: string): WireTool | undefined {
  const { output, tools = [] } = request;
  if (output?.type !== 'schema' || modelTraits(model).schema) return undefined;
  const taken = new Set(tools.map(tool => ('name' in tool ? tool.name : undefined)));
  let name = 'final_answer';
  while (taken.has(name)) name += '_';
  return {
    name,
    description: 'Gives the final answer. Call it exactly once, as the last thing you do.',
    input_schema: { type: 'object', ...output.schema },
  };
}

/** Returns the tools of a request by their names at the upstream. */
export function toolsByName(request: GenerateRequest, model: string): Map<string, KnownTool> {
  const known = new Map<string, KnownTool>();
  for (const tool of request.tools ?? []) {
    if ('name' in tool) known.set(toolName(tool.name), { type: tool.type, name: tool.name });
  }
  const answer = answerTool(request, model);
  if (answer) known.set(String(answer.name), { type: 'answer' });
  return known;
}

/** Encodes the tools that may be chosen. @throws GatewayError for a tool that only another vendor runs */
export function wireTools(
  { tools = [], toolChoice }: GenerateRequest,
  capabilities: ModelTraits,
): WireTool[] {
  const names = toolChoice && 'names' in toolChoice ? toolChoice.names : undefined;
  return tools
    .filter(tool => !names || tool.type === 'web-search' || ('name' in tool && names.includes(tool.name)))
    .map(tool => wireTool(tool, capabilities));
}

function wireTool(tool: Tool, capabilities: ModelTraits): WireTool {
  switch (tool.type) {
    case 'function': {
      const { name, description, parameters = {}, strict, cache } = tool;
      return {
        name: toolName(name),
        ...(description !== undefined && { description }),
        input_schema: parameters.type === undefined ? { ...noParameters, ...parameters } : parameters,
        ...(strict && capabilities.schema && { strict }),
        ...cacheBreakpoint(cache),
      };
    }
    case 'custom': {
      const { name, description } = tool;
      return {
        name: toolName(name),
        ...(description !== undefined && { description }),
        input_schema: freeText,
      };
    }
    case 'web-search': {
      const { location, own } = tool;
      if (own?.format === 'messages') return { ...own.value };
      const place = location && { user_location: { type: 'approximate', ...location } };
      return { type: 'web_search_20250305', name: 'web_search', ...place };
    }
    case 'opaque':
      if (tool.format === 'messages') return { ...tool.value };
      return refuse(
        'tools',
        `The tool '${tool.value.type ?? Object.keys(tool.value)[0]}' is not run by this model's vendor.`,
      );
  }
}

/** Encodes the tool choice; undefined for the upstream's default. */
export function wireChoice(
  choice: ToolChoice | undefined,
  parallel: boolean | undefined,
): Record<string, unknown> | undefined {
  const serial = parallel === false ? { disable_parallel_tool_use: true } : {};
  switch (choice?.type) {
    case undefined:
      return parallel === false ? { type: 'auto', ...serial } : undefined;
    case 'auto':
      return { type: 'auto', ...serial };
    case 'required':
      return { type: 'any', ...serial };
    case 'tool':
      return { type: 'tool', name: toolName(choice.name), ...serial };
    case 'none':
      return { type: 'none' };
  }
}

/** True if the model must call a tool. Thinking is not allowed then. */
export function isForced(choice: Record<string, unknown> | undefined): boolean {
  return choice?.type === 'any' || choice?.type === 'tool';
}
