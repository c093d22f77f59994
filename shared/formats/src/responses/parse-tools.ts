import type { Tool, ToolChoice } from '@model-gateway/canonical';
import { clientTools, searchLocation } from '../client/client-tools.ts';
import type { ResponsesTool, ResponsesToolChoice } from './input.ts';

type Custom = Extract<ResponsesTool, { type: 'custom' }>;
type Function = Extract<ResponsesTool, { type: 'function' }>;
type Namespace = Extract<ResponsesTool, { type: 'namespace' }>;
type Search = Extract<ResponsesTool, { external_web_access?: unknown }>;

/** Parses the client's tools. */
export function parseTools(tools: readonly ResponsesTool[], names: ToolNames): Tool[] {
  return clientTools(tools.flatMap(tool => parseTool(tool, names)));
}

function parseTool(tool: ResponsesTool, names: ToolNames): Tool[] {
  switch (tool.type) {
    case 'function':
      return [functionTool(tool, names.add({ name: tool.name }))];
    case 'custom':
      return [customTool(tool, names.add({ name: tool.name }))];
    case 'namespace':
      return tool.tools.map(inner => namespaced(inner, tool, names));
    case 'web_search':
    case 'web_search_2025_08_26':
    case 'web_search_preview':
    case 'web_search_preview_2025_03_11':
      return webSearch(tool);
    case 'tool_search':
      return [toolSearch(tool, names)];
    default:
      return [opaque(tool)];
  }
}

function functionTool({ description, parameters, strict }: Function, name: string): Tool {
  return {
    type: 'function',
    name,
    description: description ?? undefined,
    parameters: parameters ?? undefined,
    strict: strict ?? undefined,
  };
}

/** Parses a custom tool. The canonical request nests its grammar as the chat format does. */
function customTool({ description, format }: Custom, name: string): Tool {
  const grammar = format?.type === 'grammar';
  const nested = grammar
    ? { type: 'grammar', grammar: { syntax: format.syntax, definition: format.definition } }
    : undefined;
  return {
    type: 'custom',
    name,
    description: description ?? undefined,
    format: nested ?? format ?? undefined,
  };
}

/** Parses a tool of a namespace. The namespace's description is prepended to the tool's description. */
function namespaced(tool: Function | Custom, { name, description }: Namespace, names: ToolNames): Tool {
  const flat = names.add({ name: tool.name, namespace: name });
  const about = [description, tool.description].filter(Boolean).join('\n\n') || null;
  return tool.type === 'function'
    ? functionTool({ ...tool, description: about }, flat)
    : customTool({ ...tool, description: about }, flat);
}

/**
 * Parses a web search. A search without web access reads only this vendor's cache, so it is dropped for other
 * vendors. A search that is limited to some domains goes to this vendor only.
 */
function webSearch(tool: Search): Tool[] {
  if (tool.external_web_access === false) return [];
  if (tool.filters?.allowed_domains?.length) return [opaque(tool)];
  const location = searchLocation(tool.user_location ?? {});
  const blocked = tool.filters?.blocked_domains;
  return [
    {
      type: 'web-search',
      ...(location && { location }),
      ...(Array.isArray(blocked) && blocked.length > 0 && { blockedDomains: blocked }),
      own: { format: 'responses', value: tool },
    },
  ];
}

const anyQuery = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };

function toolSearch(tool: Extract<ResponsesTool, { type: 'tool_search' }>, names: ToolNames): Tool {
  if (tool.execution !== 'client') return opaque(tool);
  const { description, parameters } = tool;
  return {
    type: 'function',
    name: names.add({ name: searchName, search: true }),
    description: description ?? 'Searches for further tools.',
    parameters: parameters ?? anyQuery,
  };
}

function opaque(value: Record<string, unknown>): Tool {
  return { type: 'opaque', format: 'responses', value };
}

/** Parses the tools that the model may or must call. */
export function parseToolChoice(choice: ResponsesToolChoice, names: ToolNames): ToolChoice {
  if (typeof choice === 'string') return { type: choice };
  if (isAllowed(choice)) {
    return { type: choice.mode, names: [...allowedNames(choice, names)] };
  }
  if (isNamed(choice)) return { type: 'tool', name: flatName(choice.name, choice.namespace) };
  return { type: 'tool', name: isSearch(choice.type) ? 'web_search' : choice.type };
}

/** Returns the flat names that a choice allows, each once: a namespace that it names twice adds nothing. */
function allowedNames({ tools }: Allowed, names: ToolNames): Set<string> {
  const within = names.byNamespace();
  const allowed = new Set<string>();
  for (const { type, name, namespace } of tools) {
    if (!name) continue;
    if (type !== 'namespace') allowed.add(flatName(name, namespace));
    else {
      for (const flat of within.get(name) ?? []) allowed.add(flat);
      within.delete(name);
    }
  }
  return allowed;
}

/**
 * Drops the web search if the choice does not allow it: it has no name, so {@link parseToolChoice} cannot
 * exclude it.
 */
export function allowedTools(choice: ResponsesToolChoice | null | undefined, tools: Tool[]): Tool[] {
  if (!choice || typeof choice === 'string' || !isAllowed(choice)) return tools;
  const searches = choice.tools.some(({ type }) => isSearch(type));
  return searches ? tools : tools.filter(({ type }) => type !== 'web-search');
}

type Choice = Exclude<ResponsesToolChoice, string>;
type Allowed = Extract<Choice, { mode: unknown }>;
type Named = Extract<Choice, { name: unknown }>;

function isAllowed(choice: Choice): choice is Allowed {
  return choice.type === 'allowed_tools';
}

function isNamed(choice: Choice): choice is Named {
  return choice.type === 'function' || choice.type === 'custom';
}

function isSearch(type: string): boolean {
  return type.startsWith('web_search');
}

/** A tool as the client defined it. */
export interface ClientTool {
  name: string;
  namespace?: string;
  /** True for the client's tool search, whose calls have their own item type. */
  search?: boolean;
}

/** The name of the client's tool search in formats where it is an ordinary tool. */
export const searchName = 'tool_search';

/** Joins namespace and name, since other formats have no namespaces. */
export function flatName(name: string, namespace: string | null | undefined): string {
  return namespace ? `${namespace}__${name}` : name;
}

/** The tools of one request, by their flat names. */
export class ToolNames {
  readonly #tools = new Map<string, ClientTool>();

  /** Registers a tool and returns its flat name. */
  add(tool: ClientTool): string {
    const flat = flatName(tool.name, tool.namespace);
    this.#tools.set(flat, tool);
    return flat;
  }

  /** Returns the tool with the flat name. */
  find(flat: string): ClientTool {
    return this.#tools.get(flat) ?? { name: flat };
  }

  /** Returns the flat names of the tools of each namespace, and of those without one. */
  byNamespace(): Map<string | undefined, string[]> {
    return Map.groupBy(this.#tools.keys(), flat => this.#tools.get(flat)?.namespace);
  }
}
