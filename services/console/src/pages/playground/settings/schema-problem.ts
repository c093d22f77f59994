import type { Settings, ToolDefinition } from '../conversation/settings.ts';

/** Returns what is wrong with a JSON schema of an object; undefined if nothing is. Keywords are checked as far as every provider reads them. */
export function schemaProblem(text: string): string | undefined {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (thrown) {
    return `This is not JSON: ${(thrown as Error).message}.`;
  }
  if (!isObject(schema)) return 'A schema is an object, such as {"type": "object"}.';
  if (schema.type !== 'object') return 'The type of the whole must be "object".';
  return problemIn(schema, '');
}

const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

function problemIn(schema: Record<string, unknown>, path: string): string | undefined {
  const at = path === '' ? '' : `${path}: `;
  const { type, properties, required, items } = schema;
  const named = type === undefined ? [] : [type].flat();
  const unknown = named.find(name => !types.includes(name as string));
  if (unknown !== undefined) return `${at}there is no type ${JSON.stringify(unknown)}.`;
  if (properties !== undefined && !isObject(properties)) return `${at}"properties" must be an object.`;
  if (required !== undefined) {
    if (!Array.isArray(required)) return `${at}"required" must be a list of names.`;
    const missing = required.find(name => !Object.hasOwn(properties ?? {}, String(name)));
    if (missing !== undefined)
      return `${at}"required" names ${JSON.stringify(missing)}, which is no property.`;
  }
  if (isObject(items)) {
    const problem = problemIn(items, `${path}[]`);
    if (problem) return problem;
  }
  for (const [name, value] of Object.entries(properties ?? {})) {
    const inner = path === '' ? name : `${path}.${name}`;
    if (value !== true && !isObject(value)) return `${inner}: a property's schema is an object.`;
    const problem = isObject(value) && problemIn(value, inner);
    if (problem) return problem;
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
