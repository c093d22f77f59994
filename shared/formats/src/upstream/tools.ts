import type { GenerateRequest, Tool, ToolCallPart, ToolChoice } from '@model-gateway/canonical';
import { argumentsObject, isJsonObject } from '@model-gateway/json';
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

type Schema = Record<string, unknown>;

/** The schema of a tool that takes free text, for formats without such tools. */
export const freeText = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };

/** Keywords that combine schemas. */
const combining = ['anyOf', 'oneOf', 'allOf'] as const;

/** The fields of a function about its arguments. */
type Arguments = Pick<Extract<Tool, { type: 'function' }>, 'parameters' | 'strict'>;

/** Returns the arguments for vendors that refuse alternatives at the top of a schema. A schema that loses them is not strict. */
export function withPlainSchema({ parameters, strict }: Arguments): Arguments {
  const schema = parameters && withoutAlternatives(parameters);
  return {
    ...(schema && { parameters: schema }),
    ...(schema === parameters && strict !== undefined && { strict }),
  };
}

/**
 * Returns the schema of a tool's arguments without keywords that combine schemas at its top, which vendors refuse there. It has the
 * properties of all its alternatives, and requires those that all of them require. Any other schema is returned as it is.
 */
function withoutAlternatives(schema: Schema): Schema {
  if (!combining.some(keyword => schema[keyword] !== undefined)) return schema;
  const alternatives = new Alternatives(schema);
  const required = [...alternatives.read(schema)];
  const { anyOf: _, oneOf: __, allOf: ___, required: ____, ...rest } = schema;
  return {
    ...rest,
    type: 'object',
    properties: alternatives.properties(),
    ...(required.length > 0 && { required }),
  };
}

/** The most levels of alternatives within alternatives that are read. */
const maxLevels = 8;

/** The alternatives of a schema, and those that it refers to. Each reference is followed once, since they may form a circle. */
class Alternatives {
  readonly #root: Schema;
  readonly #followed = new Set<string>();
  /** The distinct schemas of each property, by their JSON. */
  readonly #properties = new Map<string, Map<string, unknown>>();

  constructor(root: Schema) {
    this.#root = root;
  }

  /** Adds the properties of a schema and its alternatives. Returns the names that it requires. */
  read(schema: Schema, level = 0): ReadonlySet<string> {
    const { properties, required: own } = schema;
    const required = new Set<string>(Array.isArray(own) ? own : []);
    if (isJsonObject(properties))
      for (const [name, value] of Object.entries(properties)) this.#add(name, value);
    if (level === maxLevels) return required;
    for (const each of [...this.#follow(schema.$ref), ...schemasIn(schema.allOf)])
      for (const name of this.read(each, level + 1)) required.add(name);
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const [first, ...others] = schemasIn(schema[keyword]).map(each => this.read(each, level + 1));
      for (const name of first ?? []) if (others.every(other => other.has(name))) required.add(name);
    }
    return required;
  }

  /** Returns the properties; one that differs between alternatives may be any of them. */
  properties(): Schema {
    return Object.fromEntries(
      [...this.#properties].map(([name, schemas]): [string, unknown] => {
        const all = [...schemas.values()];
        return [name, all.length === 1 ? all[0] : { anyOf: all }];
      }),
    );
  }

  #add(name: string, schema: unknown): void {
    const schemas = this.#properties.get(name);
    const json = JSON.stringify(schema);
    if (schemas) schemas.set(json, schema);
    else this.#properties.set(name, new Map([[json, schema]]));
  }

  /** Returns the schema within the root that a reference such as `#/$defs/a` names, if it is followed for the first time. */
  #follow(reference: unknown): Schema[] {
    if (typeof reference !== 'string' || !reference.startsWith('#/') || this.#followed.has(reference))
      return [];
    this.#followed.add(reference);
    const keys = reference.slice(2).split('/');
    const found = keys.reduce<unknown>(
      (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      this.#root,
    );
    return isJsonObject(found) ? [found] : [];
  }
}

/** Returns the schemas of a list. One of null says only that there may be no arguments. */
function schemasIn(list: unknown): Schema[] {
  return (Array.isArray(list) ? list : []).filter(
    (each): each is Schema => isJsonObject(each) && each.type !== 'null',
  );
}

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

/** Returns a call's arguments as an object with exact numbers. The text of a custom tool is its `input`. */
export function toolInput({ arguments: text, custom }: ToolCallPart): Record<string, unknown> {
  return custom ? { input: text } : argumentsObject(text);
}
