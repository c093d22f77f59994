/** `T` without null: a field that may be null or undefined becomes optional. */
type WithoutNullish<T> = {
  [K in keyof T as null extends T[K] ? never : undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as null extends T[K] ? K : undefined extends T[K] ? K : never]?: NonNullable<T[K]>;
};

/** Returns a copy without the members that are null or undefined: both mean "not set". */
export function omitNullish<T extends object>(fields: T): WithoutNullish<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as WithoutNullish<T>;
}
