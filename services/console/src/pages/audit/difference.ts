/** A field that differs between two states of a record. A value is undefined where the field is absent. */
interface FieldDifference {
  /** The path of the field, such as `limits.models["gpt-5"].concurrency`. */
  path: string;
  before: unknown;
  after: unknown;
}

type State = Record<string, unknown> | null;

/** Lists the fields that differ between two states, by their paths. Lists are compared as a whole. */
export function differences(before: State, after: State): FieldDifference[] {
  return compare('', before ?? undefined, after ?? undefined);
}

function compare(path: string, before: unknown, after: unknown): FieldDifference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isObject(before) && !isObject(after)) return isSame(before, after) ? [] : [{ path, before, after }];
  // What has no fields on one side is shown field by field, unless it has none on the other side either.
  const [old, now] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  if (names.length === 0) return path === '' ? [] : [{ path, before, after }];
  return names.flatMap(name => compare(joined(path, name), old[name], now[name]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null and an absent field both say that nothing is set. */
function isSame(before: unknown, after: unknown): boolean {
  return (before ?? null) === null && (after ?? null) === null;
}

function joined(path: string, name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
