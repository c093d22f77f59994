/** What holds schemas by name, and what holds a list of them or one. */
const named = new Set(['properties', '$defs', 'definitions', 'patternProperties']);
const nested = new Set(['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'additionalProperties', 'not']);

/** A JSON schema as this vendor keeps to it: it overlooks `const`, but not a list of one value. */
export function withoutConst(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]): [string, unknown] => {
      if (name === 'const' && schema.enum === undefined) return ['enum', [value]];
      if (nested.has(name)) return [name, Array.isArray(value) ? value.map(inner) : inner(value)];
      return [name, named.has(name) && isObject(value) ? inEach(value) : value];
    }),
  );
}

function inEach(schemas: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, inner(schema)]));
}

function inner(schema: unknown): unknown {
  return isObject(schema) ? withoutConst(schema) : schema;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
