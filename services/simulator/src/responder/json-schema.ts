/** A JSON schema as a client sent it: nothing in it is validated. */
export type Schema = Record<string, unknown>;

const maxHops = 32;
const maxParts = 8;

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Follows `$ref` from `root` and merges `allOf`. */
export function resolved(given: unknown, root: unknown, hops = 0): Schema {
  if (!isSchema(given) || hops > maxHops) return {};
  const { $ref, allOf, ...own } = given;
  const others = [
    ...(typeof $ref === 'string' ? [target($ref, root)] : []),
    ...(Array.isArray(allOf) ? allOf.slice(0, maxParts) : []),
  ];
  // Nested forks multiply, so they use up more hops.
  const next = others.length > 1 ? hops + 8 : hops + 1;
  return others.reduce<Schema>((whole, other) => both(whole, resolved(other, root, next)), own);
}

export function both(one: Schema, other: Schema): Schema {
  const merged: Schema = { ...other, ...one };
  if (isSchema(one.properties) && isSchema(other.properties))
    merged.properties = { ...other.properties, ...one.properties };
  if (Array.isArray(one.required) && Array.isArray(other.required))
    merged.required = [...new Set([...other.required, ...one.required])];
  return merged;
}

/** The first type that is not null, or a guess from the keywords. */
export function typeOf(schema: Schema): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return String(type.find(one => one !== 'null') ?? 'null');
  if (isSchema(schema.properties) || Array.isArray(schema.required)) return 'object';
  if ('items' in schema || 'prefixItems' in schema) return 'array';
  if ('minimum' in schema || 'maximum' in schema || 'multipleOf' in schema) return 'number';
  return 'string';
}

export function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** Follows a JSON pointer such as `#/$defs/node`. */
function target(pointer: string, root: unknown): unknown {
  let found = root;
  for (const key of pointer.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    const plain = key.replaceAll('~1', '/').replaceAll('~0', '~');
    const inside = (isSchema(found) || Array.isArray(found)) && Object.hasOwn(found, plain);
    found = inside ? Reflect.get(found as object, plain) : undefined;
  }
  return found;
}
