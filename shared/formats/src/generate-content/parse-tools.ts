import type { GenerateRequest, Tool, ToolChoice } from '@model-gateway/canonical';
import { isJsonObject } from '@model-gateway/json';
import { clientTools } from '../client/client-tools.ts';
import { readValue } from '../values/value-table.ts';
import { invalid } from './check.ts';
import { callingModes, enumName, generateContentSchemaTypes } from './enums.ts';
import type { GenerateContentTranslatable } from './request.ts';
import type { GenerateContentFunctionDeclaration, GenerateContentTool } from './tools.ts';

type ToolSettings = Pick<GenerateRequest, 'tools' | 'toolChoice'>;

/** Parses the tools and how the model may call them. */
export function parseToolSettings({
  tools,
  toolConfig,
}: Pick<GenerateContentTranslatable, 'tools' | 'toolConfig'>): ToolSettings {
  const choice = parseChoice(toolConfig?.functionCallingConfig ?? {});
  return {
    ...(tools?.length && { tools: clientTools(tools.flatMap(parseTool)) }),
    ...(choice && { toolChoice: choice }),
  };
}

/** Parses one entry, which may hold functions and several tools that the vendor runs. */
function parseTool({ functionDeclarations, ...vendorRun }: GenerateContentTool): Tool[] {
  const functions = (functionDeclarations ?? []).map(parseFunction);
  const others = Object.entries(vendorRun).filter(([, value]) => value !== null && value !== undefined);
  return [...functions, ...others.map(([name, value]) => vendorTool(name, { [name]: value }))];
}

function parseFunction({
  name,
  description,
  parameters,
  parametersJsonSchema: json,
}: GenerateContentFunctionDeclaration): Tool {
  const schema = parameters ? jsonSchema(parameters) : json;
  return {
    type: 'function',
    name,
    ...(description && { description }),
    ...(isJsonObject(schema) && { parameters: schema }),
  };
}

function vendorTool(name: string, value: Record<string, unknown>): Tool {
  const own = { format: 'generate-content', value } as const;
  const isSearch = name === 'googleSearch' || name === 'googleSearchRetrieval';
  return isSearch ? { type: 'web-search', own } : { type: 'opaque', ...own };
}

type CallingConfig = NonNullable<
  NonNullable<GenerateContentTranslatable['toolConfig']>['functionCallingConfig']
>;

function parseChoice({ mode, allowedFunctionNames: allowed }: CallingConfig): ToolChoice | undefined {
  const names = allowed ?? [];
  const some = names.length > 0;
  if (some && mode !== 'ANY' && mode !== 'VALIDATED')
    throw invalid(
      'toolConfig.functionCallingConfig.allowedFunctionNames',
      'names are allowed only in the modes ANY and VALIDATED',
    );
  const [only, ...more] = names;
  if (mode === 'ANY' && only !== undefined && more.length === 0) return { type: 'tool', name: only };
  const type = mode === 'VALIDATED' ? 'auto' : readValue(callingModes, mode);
  return type && { type, ...(some && { names }) };
}

type Schema = Record<string, unknown>;

/**
 * Converts a schema of Google's dialect to JSON Schema: types in lower case, `nullable` as the type `null`,
 * and counts that are strings as numbers.
 */
export function jsonSchema(googleSchema: Schema): Schema {
  const { nullable, propertyOrdering: _, example, ...rest } = googleSchema;
  const schema = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, member(name, value)]));
  const examples = example === undefined || example === null ? {} : { examples: [example] };
  return { ...(nullable === true ? orNull(schema) : schema), ...examples };
}

function member(name: string, value: unknown): unknown {
  if (name === 'type') return Array.isArray(value) ? value.map(lowerCase) : lowerCase(value);
  if (/^(min|max)[A-Z]/.test(name) && typeof value === 'string') return Number(value);
  if (name === 'items') return nested(value);
  if (name === 'anyOf' && Array.isArray(value)) return value.map(nested);
  if (name === 'properties' && isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([property, inner]) => [property, nested(inner)]));
  return value;
}

function lowerCase(type: unknown): unknown {
  const name = enumName(generateContentSchemaTypes, type);
  return typeof name === 'string' ? name.toLowerCase() : name;
}

function nested(value: unknown): unknown {
  return isJsonObject(value) ? jsonSchema(value) : value;
}

function orNull(schema: Schema): Schema {
  const { type, anyOf, enum: values } = schema;
  return {
    ...schema,
    ...(type !== undefined && type !== 'null' && { type: [type, 'null'] }),
    ...(Array.isArray(anyOf) && { anyOf: [...anyOf, { type: 'null' }] }),
    ...(Array.isArray(values) && { enum: [...values, null] }),
  };
}
