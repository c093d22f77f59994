import { z } from 'zod';

/** True for a JSON object, false for an array or null. */
export const isJsonObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema of any JSON object. The value is not copied: a copy would lose keys such as `__proto__`. */
export function anyObject(error: string) {
  return z.custom<Record<string, unknown>>(isJsonObject, { error }).meta({ type: 'object' });
}

export const jsonObject = anyObject('an object');

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
