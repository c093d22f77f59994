/**
 * A reason why values are not carried over. `where` is the beginning of their paths, in which `[]` is any entry of a list. `fields` are the
 * names that follow it, with spaces between them: `*` at the end of a name stands for any rest, and alone for any name.
 */
export type Reason = readonly [where: string, fields: string, reason: string];

/** Returns a function that finds the reason for a path: that of the first row that fits; undefined if none does. */
export function reasonsOf(rows: readonly Reason[]): (path: string) => string | undefined {
  const patterns = rows.map(([where, fields, reason]) => {
    const names = fields.replaceAll(' ', '|').replaceAll('*', '[\\w-]*');
    const start = where.replaceAll('.', '\\.').replaceAll('[]', '\\[\\d+\\]');
    return { pattern: new RegExp(`^${start}${where && '\\.'}(?:${names})(?![\\w-])`), reason };
  });
  return path => patterns.find(({ pattern }) => pattern.test(path))?.reason;
}
