/** Returns an object with other values of some fields; the object itself if it has these. The value undefined stands for none. */
export function withFields<T extends object>(object: T, fields: Record<string, unknown>): T {
  for (const name in fields)
    if (fields[name] !== (object as Record<string, unknown>)[name]) return { ...object, ...fields };
  return object;
}

/** Returns a list with what `mend` makes of each entry, without those that become undefined; the list itself if all stay the same. */
export function mendEach<T>(list: readonly T[], mend: (entry: T) => T | undefined): readonly T[] {
  let mended: T[] | undefined;
  for (const [i, entry] of list.entries()) {
    const made = mend(entry);
    if (made !== entry) mended ??= list.slice(0, i);
    if (made !== undefined) mended?.push(made);
  }
  return mended ?? list;
}

/** Returns what was made of a list; the list itself if it has the same entries. */
export function unlessSame<T>(list: readonly T[], made: readonly T[]): readonly T[] {
  return made.length === list.length && made.every((entry, i) => entry === list[i]) ? list : made;
}
