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
