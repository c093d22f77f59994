import { enumName, googleSchemaTypes } from '@model-gateway/wire';

type Schema = Record<string, unknown>;

/**
 * A schema of Google's own dialect as JSON Schema: types in small letters, `nullable` as a type, counts that were
 * written as strings as numbers.
 */
export function jsonSchema(own: Schema): Schema {
  const { nullable, propertyOrdering: _, example, ...rest } = own;
  const schema = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, member(name, value)]));
  const examples = example === undefined || example === null ? {} : { examples: [example] };
  return { ...(nullable === true ? orNull(schema) : schema), ...examples };
}

function member(name: string, value: unknown): unknown {
  if (name === 'type') return Array.isArray(value) ? value.map(small) : small(value);
  if (/^(min|max)[A-Z]/.test(name) && typeof value === 'string') return Number(value);
  if (name === 'items') return nested(value);
  if (name === 'anyOf' && Array.isArray(value)) return value.map(nested);
  if (name === 'properties' && isSchema(value))
    return Object.fromEntries(Object.entries(value).map(([property, inner]) => [property, nested(inner)]));
  return value;
}

function small(type: unknown): unknown {
  const name = enumName(googleSchemaTypes, type);
  return typeof name === 'string' ? name.toLowerCase() : name;
}

function nested(value: unknown): unknown {
  return isSchema(value) ? jsonSchema(value) : value;
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

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
