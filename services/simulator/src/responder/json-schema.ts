/** A JSON schema, or a part of one, as a client sent it: nothing in it can be trusted to have the right type. */
export type Schema = Record<string, unknown>;

const maxHops = 32;
const maxParts = 8;

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Follows `$ref` from `root` and folds `allOf` in, so that what is left speaks for itself. */
export function resolved(given: unknown, root: unknown, hops = 0): Schema {
  if (!isSchema(given) || hops > maxHops) return {};
  const { $ref, allOf, ...own } = given;
  const others = [
    ...(typeof $ref === 'string' ? [target($ref, root)] : []),
    ...(Array.isArray(allOf) ? allOf.slice(0, maxParts) : []),
  ];
  // Forks could multiply without end, so they may follow each other only a few times.
  const next = others.length > 1 ? hops + 8 : hops + 1;
  return others.reduce<Schema>((whole, other) => both(whole, resolved(other, root, next)), own);
}

/** A schema that asks for what two schemas ask for, where they do not contradict each other. */
export function both(one: Schema, other: Schema): Schema {
  const merged: Schema = { ...other, ...one };
  if (isSchema(one.properties) && isSchema(other.properties))
    merged.properties = { ...other.properties, ...one.properties };
  if (Array.isArray(one.required) && Array.isArray(other.required))
    merged.required = [...new Set([...other.required, ...one.required])];
  return merged;
}

/** Its type, the first that is not null where there are several; guessed from its keywords where it has none. */
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

/** What a JSON pointer such as `#/$defs/node` points at. */
function target(pointer: string, root: unknown): unknown {
  let found = root;
  for (const key of pointer.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    const plain = key.replaceAll('~1', '/').replaceAll('~0', '~');
    const inside = (isSchema(found) || Array.isArray(found)) && Object.hasOwn(found, plain);
    found = inside ? Reflect.get(found as object, plain) : undefined;
  }
  return found;
}
