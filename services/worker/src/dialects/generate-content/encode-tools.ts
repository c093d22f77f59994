import type { GenerateRequest, Tool, ToolChoice } from '@model-gateway/canonical';
import { refuse } from './content.ts';
import { withoutConst } from './encode-generation.ts';
import { functionName } from './names.ts';

/** What a call of the upstream is to the client: a call of a tool of its own, by its own name. */
export interface KnownTool {
  type: 'function' | 'custom';
  name: string;
}

type Fields = Record<string, unknown>;
type Declared = Extract<Tool, { name: string }>;
type WebSearch = Extract<Tool, { type: 'web-search' }>;

const freeText = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };

/** The tools of a request by the names under which the upstream knows them. */
export function toolsByName({ tools = [] }: Pick<GenerateRequest, 'tools'>): Map<string, KnownTool> {
  return new Map(
    tools.filter(isDeclared).map(({ type, name }) => [functionName(name), { type, name }] as const),
  );
}

/** Whether a request has functions, which the client runs. */
export function hasFunctions({ tools = [] }: Pick<GenerateRequest, 'tools'>): boolean {
  return tools.some(isDeclared);
}

/**
 * The fields that speak of tools. `own` is what the client's format has of `toolConfig` beside the choice.
 * @throws GatewayError for a tool that only another vendor runs, and a choice that cannot be said
 */
export function toolFields({ tools = [], toolChoice }: GenerateRequest, own: unknown): Fields {
  if (toolChoice) refuseRunChoice(toolChoice, tools);
  const declared = tools.filter(isDeclared);
  // What the vendor runs it would run all the same.
  const run =
    toolChoice?.type === 'none' ? [] : tools.flatMap(tool => (isDeclared(tool) ? [] : runTool(tool)));
  const functions = declared.length > 0 ? [{ functionDeclarations: declared.map(declaration) }] : [];
  const calling = declared.length > 0 && toolChoice ? { functionCallingConfig: calls(toolChoice) } : {};
  const config = { ...fields(own), ...calling };
  return {
    ...(functions.length + run.length > 0 && { tools: [...functions, ...run] }),
    ...(Object.keys(config).length > 0 && { toolConfig: config }),
  };
}

function isDeclared(tool: Tool): tool is Declared {
  return tool.type === 'function' || tool.type === 'custom';
}

function declaration(tool: Declared): Fields {
  const { description } = tool;
  const schema = tool.type === 'custom' ? freeText : tool.parameters;
  return {
    name: functionName(tool.name),
    ...(description && { description }),
    ...(schema && { parametersJsonSchema: withoutConst(schema) }),
  };
}

function runTool(tool: Exclude<Tool, Declared>): Fields {
  if (tool.type === 'web-search') return search(tool);
  if (tool.format === 'generate-content') return { ...tool.value };
  const what = tool.value.type ?? Object.keys(tool.value)[0];
  return refuse('tools', `The tool '${what}' is not run by this model's vendor.`);
}

/** About where the user is has no place here. @throws GatewayError for a bound on where to search */
function search({ own }: WebSearch): Fields {
  if (own?.format === 'generate-content') return { ...own.value };
  const bounds = { ...own?.value, ...fields(own?.value.filters) };
  const bound = ['allowed_domains', 'blocked_domains'].find(name => !isEmpty(bounds[name]));
  if (bound) refuse('tools', `This model's provider cannot keep a web search to '${bound}'.`);
  return { googleSearch: {} };
}

/** The vendor decides by itself when to use what it runs. @throws GatewayError for a choice that means it, or nothing else */
function refuseRunChoice(choice: ToolChoice, tools: readonly Tool[]): void {
  const names = tools.filter(isDeclared).map(({ name }) => name);
  const forced = choice.type === 'required' && names.length === 0;
  if (!forced && (choice.type !== 'tool' || names.includes(choice.name))) return;
  refuse(
    'toolConfig',
    "Unsupported 'toolConfig': this model decides by itself whether to use the vendor's tools.",
  );
}

function calls(choice: ToolChoice): Fields {
  switch (choice.type) {
    case 'none':
      return { mode: 'NONE' };
    case 'tool':
      return { mode: 'ANY', ...allowed([choice.name]) };
    case 'required':
      return { mode: 'ANY', ...(choice.names && allowed(choice.names)) };
    case 'auto':
      return choice.names ? { mode: 'VALIDATED', ...allowed(choice.names) } : { mode: 'AUTO' };
  }
}

function allowed(names: readonly string[]): Fields {
  return { allowedFunctionNames: names.map(functionName) };
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function isEmpty(list: unknown): boolean {
  return !Array.isArray(list) || list.length === 0;
}
