import { GatewayError, type SearchLocation, type Tool } from '@model-gateway/canonical';
import { argumentsText, exceededBound, isJsonObject, omitNullish } from '@model-gateway/json';

type Schema = Record<string, unknown>;

/** Returns the tools of a client: of several with one name the last, and schemas with nothing empty that is no object or null. */
export function clientTools(tools: readonly Tool[]): Tool[] {
  const last = new Map<string, Tool>();
  for (const tool of tools) if ('name' in tool) last.set(tool.name, tool);
  return tools.filter(tool => !('name' in tool) || last.get(tool.name) === tool).map(mendedTool);
}

/** Returns the known members of a client's place; undefined if there are none. */
export function searchLocation(place: SearchLocation): SearchLocation | undefined {
  const { city, country, region, timezone } = place;
  const location = omitNullish({ city, country, region, timezone });
  return Object.keys(location).length > 0 ? location : undefined;
}

function mendedTool(tool: Tool): Tool {
  if (tool.type !== 'function' || !tool.parameters) return tool;
  const parameters = mended(tool.parameters);
  return parameters === tool.parameters ? tool : { ...tool, parameters };
}

/** Keywords that hold schemas by name, that hold one schema, and that hold one or a list. */
const named = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']);
const single = new Set(['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains']);
const listed = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
/** Keywords whose value may be null. */
const anyValue = new Set(['default', 'const', 'example']);

/**
 * Returns a schema without keywords that are null, and with empty objects where PHP wrote empty lists: vendors refuse both.
 * A schema without them is returned as it is.
 */
function mended(schema: Schema): Schema {
  return withValues(schema, mendedValue);
}

/** Returns an object with other values, without those that become undefined; the same object if none changes. */
function withValues(object: Schema, change: (key: string, value: unknown) => unknown): Schema {
  const entries = Object.entries(object).map(([key, value]): [string, unknown] => [key, change(key, value)]);
  if (entries.every(([key, value]) => value === object[key])) return object;
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Returns the value of a keyword; undefined for one that is left out. */
function mendedValue(keyword: string, value: unknown): unknown {
  if (value === null) return anyValue.has(keyword) ? value : undefined;
  if (named.has(keyword)) return isEmptyList(value) ? {} : mendedEach(value);
  if (single.has(keyword)) return mendedSchema(value);
  if (listed.has(keyword) && Array.isArray(value)) return mendedList(value);
  return value;
}

function mendedSchema(value: unknown): unknown {
  if (isEmptyList(value)) return {};
  return isJsonObject(value) ? mended(value) : value;
}

function mendedEach(value: unknown): unknown {
  return isJsonObject(value) ? withValues(value, (_name, schema) => mendedSchema(schema)) : value;
}

function mendedList(schemas: readonly unknown[]): unknown {
  const kept = schemas.map(mendedSchema);
  return kept.every((schema, at) => schema === schemas[at]) ? schemas : kept;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/**
 * Returns the arguments of a call in a history as JSON text. Those that are cut off, as an answer at its limit leaves them, are kept
 * as text within JSON; an object is written as text.
 * @throws GatewayError for the field `param` if they exceed the bounds of a request
 */
export function callArguments(value: unknown, param: string): string {
  const text = argumentsText(value);
  if (text.trim() === '') return '';
  const exceeded = exceededBound(text);
  if (!exceeded) return text;
  const message = `Invalid '${param}': the arguments of this tool call are JSON that ${exceeded}.`;
  throw new GatewayError('invalid-request', message, { param, code: 'invalid_value' });
}
