/** The fields of `T` that may be absent, where the client may also have said null. */
type Absent<T> = {
  [K in keyof T as null extends T[K] ? never : undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as null extends T[K] ? K : undefined extends T[K] ? K : never]?: NonNullable<T[K]>;
};

/** Leaves out what was not set: null and undefined mean the same. */
export function given<T extends object>(fields: T): Absent<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as Absent<T>;
}
