import type { Tool, ToolChoice } from '@model-gateway/canonical';
import type { FormatDifferences } from '@model-gateway/providers';
import { digest } from '#bytes';

const allowed = /^[a-zA-Z0-9_-]{1,64}$/;

/** Returns a tool name that the format allows: invalid or long names are shortened and get a hash. */
export function toolName(name: string): string {
  if (allowed.test(name)) return name;
  return `${name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 50)}_${digest(name, 8)}`;
}

/** A namespace that Gemini models put before a tool's name. */
const defaultNamespace = /^default_api[:.]/;

/** Returns the tool of an upstream's call by its name there, which may stand in the namespace of Gemini models. */
export function findTool<T>(tools: ReadonlyMap<string, T>, wire: string): T | undefined {
  return tools.get(wire) ?? tools.get(wire.replace(defaultNamespace, ''));
}

/** Returns the client's names of tools by their names at the upstream. */
export function namesByWire(tools: readonly Tool[] = []): Map<string, string> {
  const names = new Map<string, string>();
  for (const tool of tools) if ('name' in tool) names.set(toolName(tool.name), tool.name);
  return names;
}

/** Returns the function that maps the name of a tool at the upstream to the client's. */
export function clientNames(tools?: readonly Tool[]): (wire: string) => string {
  const names = namesByWire(tools);
  return wire => findTool(names, wire) ?? wire;
}

/** Returns the names that a choice allows; undefined if it allows all tools. */
export function chosenNames(choice: ToolChoice | undefined): ReadonlySet<string> | undefined {
  return choice && 'names' in choice && choice.names ? new Set(choice.names) : undefined;
}

/** Keeps the tools that may be chosen and those without a name, for upstreams that may not have `allowed_tools`. */
export function onlyChosen(tools: readonly Tool[], choice: ToolChoice | undefined): readonly Tool[] {
  const names = chosenNames(choice);
  return names ? tools.filter(tool => !('name' in tool) || names.has(tool.name)) : tools;
}

/** The longest call id that every upstream accepts, in characters. */
const maxId = 40;

/** Returns a call id that every upstream accepts: the same for the call and its result, in every request. */
export function callId(id: string): string {
  return id.length <= maxId ? id : `call_${digest(id, 24)}`;
}

/** Returns the function that makes the ids of calls and results that an upstream accepts. */
export function sentCallId({ callIds }: Pick<FormatDifferences, 'callIds'> = {}): (id: string) => string {
  return callIds === 'nine-characters' ? id => (/^[a-zA-Z0-9]{9}$/.test(id) ? id : digest(id, 9)) : callId;
}

/** Creates an id for a call that has none, unique within the request that `seed` identifies. */
export function inventedCallId(seed: string, number: number): string {
  return `call_${digest(`${seed}:${number}`, 24)}`;
}
