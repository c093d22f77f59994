import { isSchema } from '../mind/json/schema.ts';
import { wrong } from '../openai-complaint.ts';

const deepest = 32;

/** A strict schema names all properties of its objects, requires each, and allows no others. @throws Refusal */
export function checkStrict(schema: unknown, owner: string, code: string, param: string): void {
  const complain = (path: string[], what: string) => {
    const context = path.map(key => `'${key}'`).join(', ');
    throw wrong(`Invalid schema for ${owner}: In context=(${context}), ${what}`, code, param);
  };
  check(schema, [], complain);
}

type Complain = (path: string[], what: string) => void;

function check(schema: unknown, path: string[], complain: Complain): void {
  if (!isSchema(schema) || path.length > deepest) return;
  if (isSchema(schema.properties)) checkObject(schema, schema.properties, path, complain);
  for (const key of ['properties', '$defs'])
    if (isSchema(schema[key]))
      for (const [name, inner] of Object.entries(schema[key])) check(inner, [...path, key, name], complain);
  check(schema.items, [...path, 'items'], complain);
  if (Array.isArray(schema.anyOf))
    for (const [at, inner] of schema.anyOf.entries()) check(inner, [...path, 'anyOf', String(at)], complain);
}

function checkObject(
  schema: Record<string, unknown>,
  properties: Record<string, unknown>,
  path: string[],
  complain: Complain,
): void {
  if (schema.additionalProperties !== false)
    complain(path, "'additionalProperties' is required to be supplied and to be false.");
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = Object.keys(properties).find(name => !required.includes(name));
  if (missing !== undefined)
    complain(
      path,
      `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`,
    );
}
