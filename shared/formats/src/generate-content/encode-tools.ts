import type { GenerateRequest, Tool, ToolChoice } from '@model-gateway/canonical';
import { digest } from '#bytes';
import { forcesVendorTool, forwarded, membersOf, refuse, refuseTool } from '../upstream/request-body.ts';
import { freeText, withPlainSchema } from '../upstream/tools.ts';
import { callingModes } from './enums.ts';
import type { GenerateContentRequestParams } from './request.ts';

/** The client's type and name of a tool. */
export interface KnownTool {
  type: 'function' | 'custom';
  name: string;
}

type ToolFields = Pick<GenerateContentRequestParams, 'tools' | 'toolConfig'>;
type ToolParam = NonNullable<ToolFields['tools']>[number];
type Declaration = NonNullable<ToolParam['functionDeclarations']>[number];
type Calling = NonNullable<NonNullable<ToolFields['toolConfig']>['functionCallingConfig']>;
type Declared<Type = 'function' | 'custom'> = Extract<Tool, { name: string; type: Type }>;
type Schema = Record<string, unknown>;
type WebSearch = Extract<Tool, { type: 'web-search' }>;

/** Returns the tools of a request by their upstream names. */
export function toolsByName({ tools = [] }: Pick<GenerateRequest, 'tools'>): Map<string, KnownTool> {
  return new Map(
    tools.filter(isDeclared).map(({ type, name }) => [functionName(name), { type, name }] as const),
  );
}

/** True if a request has tools that the client runs. */
export function hasFunctions({ tools = [] }: Pick<GenerateRequest, 'tools'>): boolean {
  return tools.some(isDeclared);
}

/**
 * Writes the tool fields. `ownConfig` holds further `toolConfig` fields of a client of this format, and `schemaOf` returns the schema of
 * a function as it is sent.
 * @throws GatewayError for a tool that another vendor runs
 */
export function toolFields(
  { tools = [], toolChoice }: GenerateRequest,
  ownConfig?: unknown,
  schemaOf = ({ parameters }: Declared<'function'>): Schema | undefined => parameters,
): ToolFields {
  const declared = tools.filter(isDeclared);
  // The choice `none` does not keep the vendor from running its own tools.
  const vendorTools =
    toolChoice?.type === 'none' ? [] : tools.flatMap(tool => (isDeclared(tool) ? [] : vendorTool(tool)));
  const functions: ToolParam[] =
    declared.length > 0 ? [{ functionDeclarations: declared.map(tool => declaration(tool, schemaOf)) }] : [];
  const calling: ToolFields['toolConfig'] =
    declared.length > 0 && toolChoice ? { functionCallingConfig: calls(toolChoice) } : {};
  const config = { ...membersOf(ownConfig), ...calling };
  const offered = [...functions, ...vendorTools];
  return {
    tools: offered.length > 0 ? offered : undefined,
    toolConfig: Object.keys(config).length > 0 ? config : undefined,
  };
}

function isDeclared(tool: Tool): tool is Declared {
  return tool.type === 'function' || tool.type === 'custom';
}

function declaration(
  tool: Declared,
  schemaOf: (tool: Declared<'function'>) => Schema | undefined,
): Declaration {
  const { name, description } = tool;
  return {
    name: functionName(name),
    description: description || undefined,
    parametersJsonSchema: tool.type === 'custom' ? freeText : schemaOf(tool),
  };
}

/** Returns the schema of a function as the vendor takes it. */
export function vendorSchema(tool: Declared<'function'>): Schema | undefined {
  const { parameters } = withPlainSchema(tool);
  return parameters && withoutConst(parameters);
}

/** Refuses a choice that forces a vendor tool: the model decides when to use those. @throws GatewayError */
export function refuseVendorToolChoice({ toolChoice, tools = [] }: GenerateRequest): void {
  if (!forcesVendorTool(toolChoice, tools)) return;
  refuse(
    'toolChoice',
    "Unsupported '{path}': this model decides by itself whether to use the vendor's tools.",
  );
}

function vendorTool(tool: Exclude<Tool, Declared>): ToolParam {
  if (tool.type === 'web-search') return search(tool);
  if (tool.format === 'generate-content') return forwarded(tool.value);
  return refuseTool(tool);
}

/** Writes a web search, without the user's location. @throws GatewayError for unsupported domain filters */
function search({ own, allowedDomains, blockedDomains }: WebSearch): ToolParam {
  if (own?.format === 'generate-content') return forwarded(own.value);
  const bound = allowedDomains ? 'allowed_domains' : blockedDomains ? 'blocked_domains' : undefined;
  if (bound) refuse('tools', `This model's provider cannot restrict a web search by '${bound}'.`);
  return { googleSearch: {} };
}

function calls(choice: ToolChoice): Calling {
  if (choice.type === 'tool') return { mode: callingModes.required, ...allowed([choice.name]) };
  const mode = callingModes[choice.type];
  if (choice.type === 'none' || !choice.names) return { mode };
  return { mode: choice.type === 'auto' ? 'VALIDATED' : mode, ...allowed(choice.names) };
}

function allowed(names: readonly string[]): Pick<Calling, 'allowedFunctionNames'> {
  return { allowedFunctionNames: names.map(functionName) };
}

/** Replaces `const`, which the vendor ignores, by an `enum` of one value. */
export function withoutConst(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]): [string, unknown] => {
      if (name === 'const' && schema.enum === undefined) return ['enum', [value]];
      if (nested.has(name)) return [name, Array.isArray(value) ? value.map(inner) : inner(value)];
      return [name, named.has(name) && isObject(value) ? inEach(value) : value];
    }),
  );
}

/** Keywords that hold schemas by name, and keywords that hold one schema or a list. */
const named = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

const nested = new Set(['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'additionalProperties', 'not']);

function inEach(schemas: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, inner(schema)]));
}

function inner(schema: unknown): unknown {
  return isObject(schema) ? withoutConst(schema) : schema;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const allowedName = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

/** Returns a name that this format allows. An invalid name gets its characters replaced and a hash added. */
export function functionName(name: string): string {
  if (allowedName.test(name)) return name;
  const kept = name.replace(/[^a-zA-Z0-9_.:-]/g, '_').replace(/^(?![a-zA-Z_])/, '_');
  return `${kept.slice(0, 51)}_${digest(name, 12)}`;
}

const generatedId = /^call_gg[0-9a-f]{24}$/;

/** Generates an id for a call without one. It is unique within the response that `seed` identifies. */
export function generateCallId(seed: string, number: number): string {
  return `call_gg${digest(`${seed}:${number}`, 24)}`;
}

/** Returns the `id` field of a call, empty if the gateway generated the id. */
export function idField(id: string): { id?: string } {
  return id === '' || generatedId.test(id) ? {} : { id };
}
