/** Returns an object with other values of some fields; the object itself if it has these. The value undefined stands for none. */
export function withFields<T extends object>(object: T, fields: Record<string, unknown>): T {
  const known = object as Record<string, unknown>;
  const isSame = Object.keys(fields).every(name => fields[name] === known[name]);
  return isSame ? object : { ...object, ...fields };
}

/** Returns a list with what `mend` makes of each entry, without those that become undefined; the list itself if all stay the same. */
export function mendEach<T>(list: readonly T[], mend: (entry: T) => T | undefined): readonly T[] {
  return unlessSame(
    list,
    list.map(mend).filter(entry => entry !== undefined),
  );
}

/** Returns what was made of a list; the list itself if it has the same entries. */
export function unlessSame<T>(list: readonly T[], made: readonly T[]): readonly T[] {
  return made.length === list.length && made.every((entry, i) => entry === list[i]) ? list : made;
}
