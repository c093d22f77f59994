import type { Tool } from '@model-gateway/canonical';
import { isJsonObject } from '@model-gateway/json';

type Schema = Record<string, unknown>;

/** The schema of a tool that takes free text, for formats without such tools. */
export const freeText = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };

/** Keywords that combine schemas. */
const combining = ['anyOf', 'oneOf', 'allOf'] as const;

/** The fields of a function about its arguments. */
type Arguments = Pick<Extract<Tool, { type: 'function' }>, 'parameters' | 'strict'>;

/** Returns the arguments for vendors that refuse alternatives at the top of a schema. A schema that loses them is not strict. */
export function withPlainSchema({ parameters, strict }: Arguments): Arguments {
  const schema = parameters && withoutAlternatives(parameters);
  return {
    ...(schema && { parameters: schema }),
    ...(schema === parameters && strict !== undefined && { strict }),
  };
}

/**
 * Returns the schema of a tool's arguments without keywords that combine schemas at its top, which vendors refuse there. It has the
 * properties of all its alternatives, and requires those that all of them require. Any other schema is returned as it is.
 */
function withoutAlternatives(schema: Schema): Schema {
  if (!combining.some(keyword => schema[keyword] !== undefined)) return schema;
  const alternatives = new Alternatives(schema);
  const required = [...alternatives.read(schema)];
  const { anyOf: _, oneOf: __, allOf: ___, required: ____, ...rest } = schema;
  return {
    ...rest,
    type: 'object',
    properties: alternatives.properties(),
    ...(required.length > 0 && { required }),
  };
}

/** The most levels of alternatives within alternatives that are read. */
const maxLevels = 8;

/** The alternatives of a schema, and those that it refers to. Each reference is followed once, since they may form a circle. */
class Alternatives {
  readonly #root: Schema;
  readonly #followed = new Set<string>();
  /** The distinct schemas of each property, by their JSON. */
  readonly #properties = new Map<string, Map<string, unknown>>();

  constructor(root: Schema) {
    this.#root = root;
  }

  /** Adds the properties of a schema and its alternatives. Returns the names that it requires. */
  read(schema: Schema, level = 0): ReadonlySet<string> {
    const { properties, required: own } = schema;
    const required = new Set<string>(Array.isArray(own) ? own : []);
    if (isJsonObject(properties))
      for (const [name, value] of Object.entries(properties)) this.#add(name, value);
    if (level === maxLevels) return required;
    for (const each of [...this.#follow(schema.$ref), ...schemasIn(schema.allOf)])
      for (const name of this.read(each, level + 1)) required.add(name);
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const [first, ...others] = schemasIn(schema[keyword]).map(each => this.read(each, level + 1));
      for (const name of first ?? []) if (others.every(other => other.has(name))) required.add(name);
    }
    return required;
  }

  /** Returns the properties; one that differs between alternatives may be any of them. */
  properties(): Schema {
    return Object.fromEntries(
      [...this.#properties].map(([name, schemas]): [string, unknown] => {
        const all = [...schemas.values()];
        return [name, all.length === 1 ? all[0] : { anyOf: all }];
      }),
    );
  }

  #add(name: string, schema: unknown): void {
    const schemas = this.#properties.get(name);
    const json = JSON.stringify(schema);
    if (schemas) schemas.set(json, schema);
    else this.#properties.set(name, new Map([[json, schema]]));
  }

  /** Returns the schema within the root that a reference such as `#/$defs/a` names, if it is followed for the first time. */
  #follow(reference: unknown): Schema[] {
    if (typeof reference !== 'string' || !reference.startsWith('#/') || this.#followed.has(reference))
      return [];
    this.#followed.add(reference);
    const keys = reference.slice(2).split('/');
    const found = keys.reduce<unknown>(
      (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      this.#root,
    );
    return isJsonObject(found) ? [found] : [];
  }
}

/** Returns the schemas of a list. One of null says only that there may be no arguments. */
function schemasIn(list: unknown): Schema[] {
  return (Array.isArray(list) ? list : []).filter(
    (each): each is Schema => isJsonObject(each) && each.type !== 'null',
  );
}
