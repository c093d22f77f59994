import { z } from 'zod';

/** True for a JSON object, false for an array or null. */
export const isJsonObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema of any JSON object. The value is not copied: a copy would lose keys such as `__proto__`. */
export function anyObject(error: string) {
  return z.custom<Record<string, unknown>>(isJsonObject, { error }).meta({ type: 'object' });
}

export const jsonObject = anyObject('an object');

/** Schemas of what upstreams send: a text or a number that may be absent or null, and a value of which a malformed one counts as null. */
export const optionalText = z.string().nullish();
export const optionalNumber = z.number().nullish();
export const lenient = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null);

/** A schema of a JSON object for clients in PHP, which write an empty one as an empty list. */
export function objectOrEmptyList<T extends z.ZodType>(schema: T) {
  return z.preprocess(value => (Array.isArray(value) && value.length === 0 ? {} : value), schema);
}

/** A schema of JSON as text, which some clients write as the object itself. */
export const jsonText = z.preprocess(
  value => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value),
  z.string(),
);

type ListedKey<T> = keyof { [K in keyof T as string extends K ? never : K]: 1 };

/**
 * The type of a loose schema without its index signatures, for code that writes requests: a field that the schema does
 * not list is a compile error. An object without listed fields may hold any.
 */
export type Closed<T> = T extends readonly (infer Item)[]
  ? Closed<Item>[]
  : T extends object
    ? [ListedKey<T>] extends [never]
      ? T
      : { [K in keyof T as string extends K ? never : K]: Closed<T[K]> }
    : T;

/** The longest name of a model, in characters. */
export const modelNameCharacters = 256;

/** A model's name in a request. Control characters and lone surrogates are not allowed. */
export const modelName = z
  .string()
  .min(1)
  .max(modelNameCharacters, { abort: true })
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'string without control characters and lone surrogates')
  .describe("A model's name, as GET /v1/models lists it, or one that a pattern of the list matches.");

/** A model's name as a resource: `models/` may precede it; it may be empty if the path holds it. */
export const generateContentModelName = z
  .string()
  .refine(name => name === '' || modelName.safeParse(name.replace(/^models\//, '')).success, {
    message: 'the name of a model',
    params: {
      code: 'invalid_value',
      expected: `a name of at most ${modelNameCharacters} characters without control characters and lone surrogates`,
    },
  });

/** A schema of an integer within these bounds. Its errors have the codes for integers. */
export function wholeNumber({ min, max }: { min: number; max?: number }) {
  const least = z
    .int()
    .refine(value => value >= min, {
      params: { code: 'integer_below_min_value', expected: `at least ${min}` },
    })
    .meta({ minimum: min });
  if (max === undefined) return least;
  return least
    .refine(value => value <= max, {
      params: { code: 'integer_above_max_value', expected: `at most ${max}` },
    })
    .meta({ maximum: max });
}
