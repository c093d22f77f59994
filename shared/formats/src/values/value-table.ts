/**
 * The values of a field in a format, by the canonical ones. Of several that are written as the same value, the first is the one that it
 * is read as.
 */
export type ValueTable<C extends string = string> = Readonly<Record<C, string>>;

/** The format's values of a table. */
export type Written<T extends ValueTable> = T[keyof T];

type ReadAs<T, V> =
  | { [C in keyof T]: T[C] extends V ? C : never }[keyof T]
  | (V extends T[keyof T] ? never : undefined);

/** Returns the canonical value of one of the format; undefined for a value that the table lacks. */
export function readValue<T extends ValueTable, V>(table: T, value: V): ReadAs<T, V> {
  return Object.keys(table).find(canonical => table[canonical] === value) as ReadAs<T, V>;
}

/** Returns the format's value of a canonical one; undefined for a value that the table lacks. */
export function writtenValue<T extends ValueTable>(
  table: T,
  canonical: string | undefined,
): Written<T> | undefined {
  return canonical !== undefined && Object.hasOwn(table, canonical) ? table[canonical as keyof T] : undefined;
}
