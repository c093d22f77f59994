import type { SeededRandom } from './seeded-random.ts';

const formats = new Map([
  ['date-time', '2026-01-15T09:30:00Z'],
  ['date', '2026-01-15'],
  ['time', '09:30:00Z'],
  ['duration', 'PT15M'],
  ['email', 'ada@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['uuid', '3f2b8c1e-5d4a-4e6f-9b7c-0a1d2e3f4b5c'],
]);

const examples = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'harbour'] as const;
const question = /quer|question|search|prompt|input|code|sql|expression|^q$/i;
const sentence = /answer|summary|description|explanation|reason|message|text|content/i;
const maxPadding = 100_000;

/** The words and numbers of which values are made. */
export interface ValueHints {
  question: string;
  /** A sentence that answers it. */
  sentence: string;
  /** Names in the question, in order. */
  things: string[];
  numbers: number[];
}

/** A string for the property `name`. `taken` is the number of strings made before. */
function stringFor(
  schema: Schema,
  name: string,
  hints: ValueHints,
  taken: number,
  random: SeededRandom,
): string {
  const format = formats.get(String(schema.format));
  if (format) return format;
  const least = Math.min(numberOr(schema.minLength, 0), maxPadding);
  const most = Math.max(numberOr(schema.maxLength, Infinity), 0);
  return words(name, hints, taken, random).padEnd(least, ' and so on').slice(0, most).toWellFormed();
}

function words(name: string, hints: ValueHints, taken: number, random: SeededRandom): string {
  if (question.test(name)) return hints.question || random.pick(examples);
  if (sentence.test(name)) return hints.sentence;
  return hints.things[taken % Math.max(hints.things.length, 1)] ?? random.pick(examples);
}

/** The number in the question if the schema allows it, else the allowed number nearest to `likely`. */
function numberFor(schema: Schema, named: number | undefined, likely: number): number {
  const step = numberOr(schema.multipleOf, typeOf(schema) === 'integer' ? 1 : 0);
  const gap = step || 0.001;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const low = Math.max(numberOr(minimum, -Infinity), numberOr(exclusiveMinimum, -Infinity) + gap);
  const high = Math.min(numberOr(maximum, Infinity), numberOr(exclusiveMaximum, Infinity) - gap);
  if (named !== undefined && named >= low && named <= high && (!step || named % step === 0)) return named;
  const near = Math.min(Math.max(likely, low), high);
  if (!step) return near;
  const up = Math.ceil(near / step) * step;
  return up <= high ? up : Math.floor(near / step) * step;
}

const deep = 6;
const deepest = 32;
const many = 500;
const most = 5_000;

/**
 * A value that satisfies a JSON schema: types, enum, const, required, bounds, `$ref`, allOf, the first of anyOf and oneOf.
 * `pattern`, `not` and `if` are ignored. Below six levels, or after 500 values, only required values are made, and an
 * endless schema ends in nulls.
 */
export function valueFor(schema: unknown, hints: ValueHints, random: SeededRandom): unknown {
  return new ValueBuilder(schema, hints, random).make(schema, '', 0);
}

class ValueBuilder {
  readonly #root: unknown;
  readonly #hints: ValueHints;
  readonly #random: SeededRandom;
  #made = 0;
  #strings = 0;
  #numbers = 0;

  constructor(root: unknown, hints: ValueHints, random: SeededRandom) {
    this.#root = root;
    this.#hints = hints;
    this.#random = random;
  }

  make(unresolved: unknown, name: string, depth: number): unknown {
    if (++this.#made > most || depth > deepest) return null;
    const schema = resolved(unresolved, this.#root);
    if ('const' in schema) return schema.const;
    if (Array.isArray(schema.enum)) return this.#mentioned(schema.enum);
    const branches = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(branches)) return this.make(this.#branch(schema, branches, depth), name, depth + 1);
    return this.#typed(schema, name, depth);
  }

  #typed(schema: Schema, name: string, depth: number): unknown {
    switch (typeOf(schema)) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#array(schema, name, depth);
      case 'integer':
      case 'number':
        return this.#number(schema);
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        return stringFor(schema, name, this.#hints, this.#strings++, this.#random);
    }
  }

  #number(schema: Schema): number {
    const likely = 1 + Math.floor(this.#random.next() * 9);
    return numberFor(schema, this.#hints.numbers[this.#numbers++], likely);
  }

  #object(schema: Schema, depth: number): Schema {
    const properties = isSchema(schema.properties) ? schema.properties : {};
    const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
    const names = this.#sparing(depth) ? required : new Set([...Object.keys(properties), ...required]);
    const made = Array.from(names, name => {
      const property = properties[name] ?? schema.additionalProperties;
      return [name, this.make(property, name, depth + 1)] as const;
    });
    return Object.fromEntries(made);
  }

  #array(schema: Schema, name: string, depth: number): unknown[] {
    const tuple = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    const wanted = Math.max(numberOr(schema.minItems, 0), tuple.length, this.#sparing(depth) ? 0 : 1);
    const length = Math.min(wanted, numberOr(schema.maxItems, most), most);
    const items = resolved(schema.items, this.#root);
    const distinct = schema.uniqueItems === true && Array.isArray(items.enum) ? items.enum : [];
    return Array.from({ length }, (_, at) =>
      at < distinct.length ? distinct[at] : this.make(tuple[at] ?? items, name, depth + 1),
    );
  }

  /** The first branch with the keywords beside it. If values should be short, a null branch is preferred. */
  #branch(schema: Schema, branches: unknown[], depth: number): Schema {
    const { anyOf: _anyOf, oneOf: _oneOf, ...shared } = schema;
    const options = branches.map(branch => resolved(branch, this.#root));
    const end = this.#sparing(depth) ? options.find(option => option.type === 'null') : undefined;
    return both(end ?? options[0] ?? {}, shared);
  }

  /** The value that the question contains, else the first. */
  #mentioned(values: unknown[]): unknown {
    const question = this.#hints.question.toLowerCase();
    const mentioned = values.find(value => value !== '' && question.includes(String(value).toLowerCase()));
    return mentioned ?? values[0];
  }

  #sparing(depth: number): boolean {
    return depth >= deep || this.#made > many;
  }
}

/** A JSON schema of a client, which is not validated. */
export type Schema = Record<string, unknown>;

const maxHops = 32;
const maxParts = 8;

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Follows `$ref` from `root` and merges `allOf`. */
function resolved(schema: unknown, root: unknown, hops = 0): Schema {
  if (!isSchema(schema) || hops > maxHops) return {};
  const { $ref, allOf, ...rest } = schema;
  const others = [
    ...(typeof $ref === 'string' ? [target($ref, root)] : []),
    ...(Array.isArray(allOf) ? allOf.slice(0, maxParts) : []),
  ];
  // Nested forks multiply, so they use up more hops.
  const next = others.length > 1 ? hops + 8 : hops + 1;
  return others.reduce<Schema>((whole, other) => both(whole, resolved(other, root, next)), rest);
}

function both(one: Schema, other: Schema): Schema {
  const merged: Schema = { ...other, ...one };
  if (isSchema(one.properties) && isSchema(other.properties))
    merged.properties = { ...other.properties, ...one.properties };
  if (Array.isArray(one.required) && Array.isArray(other.required))
    merged.required = [...new Set([...other.required, ...one.required])];
  return merged;
}

/** The first type that is not null, or a guess from the keywords. */
function typeOf(schema: Schema): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return String(type.find(one => one !== 'null') ?? 'null');
  if (isSchema(schema.properties) || Array.isArray(schema.required)) return 'object';
  if ('items' in schema || 'prefixItems' in schema) return 'array';
  if ('minimum' in schema || 'maximum' in schema || 'multipleOf' in schema) return 'number';
  return 'string';
}

function numberOr(value: unknown, otherwise: number): number {
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
