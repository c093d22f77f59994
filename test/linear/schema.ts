import type { z } from 'zod';

/** The names of the texts in a value: by their number alone, so that all lists name the same; by their list, too; or all alike. */
export type Naming = 'matching' | 'apart' | 'alike';

/** A place in a schema whose value may grow. */
export interface Place {
  /** Its path, for messages. */
  path: string;
  /** True if it is a list of valid items. */
  isList: boolean;
  /** The top-level field that it belongs to. */
  field: string;
  /** Returns the value of that field with `n` items at this place. */
  grown(n: number, naming: Naming): unknown;
}

/** The part of zod's definition of a schema that is read here. */
interface Definition {
  type: string;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  options?: z.ZodType[];
  innerType?: z.ZodType;
  in?: z.ZodType;
  out?: z.ZodType;
  valueType?: z.ZodType;
  catchall?: z.ZodType;
  entries?: Record<string, unknown>;
  values?: unknown[];
}

const definition = (schema: z.ZodType) => (schema as unknown as { def: Definition }).def;

/** Schemas that stand for another one. */
const wrappers = new Set(['optional', 'nullable', 'default', 'prefault', 'catch', 'readonly', 'nonoptional']);

function unwrapped(schema: z.ZodType): z.ZodType {
  const { type, innerType, in: before, out } = definition(schema);
  if (wrappers.has(type) && innerType) return unwrapped(innerType);
  // What is read before a schema is the value in another notation.
  if (type === 'pipe' && before && out)
    return unwrapped(definition(before).type === 'transform' ? out : before);
  return schema;
}

/** The deepest level of lists within lists. */
const deepest = 4;

/** A value with `n` items at one place of it. */
type Grow = (n: number, text: (i: number) => string) => unknown;

/** Returns all places in the fields of an object. */
export function placesIn(object: z.ZodType): Place[] {
  const { shape = {} } = definition(unwrapped(object));
  return Object.entries(shape).flatMap(([field, schema]) =>
    placesOf(schema, field, 0).map(({ path, grow }) => ({
      path,
      field,
      isList: /\[\d+\.\d+\]$/.test(path),
      grown: (n, naming) => grow(n, i => nameOf(naming, path, i)),
    })),
  );
}

function nameOf(naming: Naming, path: string, i: number): string {
  if (naming === 'alike') return 'name';
  return naming === 'matching' ? `name${i}` : `${path.replace(/\W/g, '')}${i}`;
}

function placesOf(outer: z.ZodType, path: string, depth: number): { path: string; grow: Grow }[] {
  const schema = unwrapped(outer);
  const { type, shape = {}, element, options = [], valueType } = definition(schema);
  if (depth > deepest) return [];
  switch (type) {
    case 'object':
      return [
        ...(definition(schema).catchall
          ? [
              {
                path: `${path}.{}`,
                grow: (n: number) => ({ ...Object(sample(schema)), ...members(n, () => 'v') }),
              },
            ]
          : []),
        ...Object.entries(shape).flatMap(([name, member]) =>
          placesOf(member, `${path}.${name}`, depth + 1).map(inner => ({
            path: inner.path,
            grow: (n: number, text: (i: number) => string) => ({
              ...Object(sample(schema, text, 0)),
              [name]: inner.grow(n, text),
            }),
          })),
        ),
      ];
    case 'array':
      return element ? placesOfList(element, path, depth) : [];
    case 'union':
      return options.flatMap((option, at) => placesOf(option, `${path}|${at}`, depth + 1));
    case 'record':
      return [
        { path: `${path}.{}`, grow: n => members(n, i => (valueType ? sample(valueType, String, i) : i)) },
      ];
    case 'string':
      return [{ path: `${path}~`, grow: n => 'a_-A.9 '.repeat(n) }];
    default:
      return [];
  }
}

/** Each kind of item fills the list, and items that are wrong; and what grows within one item grows in a list of one. */
function placesOfList(element: z.ZodType, path: string, depth: number): { path: string; grow: Grow }[] {
  const inner = unwrapped(element);
  const { type, options = [] } = definition(inner);
  const kinds = type === 'union' ? options.map(unwrapped) : [inner];
  const wrong = [0, {}, []].map((item, at) => ({
    path: `${path}[wrong ${at}]`,
    grow: (n: number) => Array<unknown>(n).fill(item),
  }));
  const right = kinds.flatMap((kind, at) => [
    ...variantsOf(kind).map((variant, v) => ({
      path: `${path}[${at}.${v}]`,
      grow: (n: number, text: (i: number) => string) => Array.from({ length: n }, (_, i) => variant(text, i)),
    })),
    ...placesOf(kind, `${path}[${at}]`, depth + 1).map(({ path, grow }) => ({
      path,
      grow: (n: number, text: (i: number) => string) => [grow(n, text)],
    })),
  ]);
  return [...right, ...wrong];
}

type Variant = (text: (i: number) => string, i: number) => unknown;

/** The values of an item: with all of its members or, if they exclude each other, with each by itself. */
function variantsOf(kind: z.ZodType): Variant[] {
  const { type, shape = {} } = definition(kind);
  if (type !== 'object') return [(text, i) => sample(kind, text, i)];
  const withMembers =
    (names: readonly string[]): Variant =>
    (text, i) => ({
      ...Object(sample(kind, text, i)),
      ...Object.fromEntries(names.map(name => [name, sample(shape[name] as z.ZodType, text, i)])),
    });
  const names = Object.keys(shape);
  const variants = [names, ...names.map(name => [name])].map(withMembers);
  const valid = variants.filter(variant => kind.safeParse(variant(String, 0)).success);
  return valid.includes(variants[0] as Variant) ? valid.slice(0, 1) : valid;
}

function members(n: number, valueAt: (i: number) => unknown): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: n }, (_, i) => [`name${i}`, valueAt(i)]));
}

/** Values of schemas that are functions. */
const guesses: readonly unknown[] = [1, {}, 'x', true, [], 0, 0.5, null];

/** Returns a valid value of a schema, with its required members alone. Its texts are named by `text` and the number `i`. */
export function sample(outer: z.ZodType, text: (i: number) => string = String, i = 0): unknown {
  const schema = unwrapped(outer);
  const { type, shape = {}, element, options = [], entries = {}, values = [] } = definition(schema);
  switch (type) {
    case 'object': {
      const required = Object.entries(shape).filter(([, member]) => !member.safeParse(undefined).success);
      return Object.fromEntries(required.map(([name, member]) => [name, sample(member, text, i)]));
    }
    case 'array':
      return outer.safeParse([]).success || !element ? [] : [sample(element, text, i)];
    case 'union':
      return options[0] && sample(options[0], text, i);
    case 'record':
      return {};
    case 'string': {
      const named = text(i);
      return schema.safeParse(named).success ? named : 'model';
    }
    case 'literal':
      return values[0];
    case 'enum':
      return Object.values(entries)[0];
    case 'boolean':
      return true;
    default:
      return guesses.find(value => schema.safeParse(value).success);
  }
}
