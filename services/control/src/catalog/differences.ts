import { hidden } from './kinds.ts';

/** A field of an entry that differs. `before` or `after` is null where it is absent. */
export interface FieldChange {
  /** Its path, such as `targets[0].model`. */
  field: string;
  before: unknown;
  after: unknown;
}

/** Returns the fields in which two entries differ. Secrets are hidden. `name` is left out. */
export function differences(before: object | null, after: object | null): FieldChange[] {
  return fieldsOf({ ...before, name: null }, { ...after, name: null }, '').map(change =>
    isSecret(change.field) ? { ...change, before: hide(change.before), after: hide(change.after) } : change,
  );
}

function fieldsOf(before: unknown, after: unknown, path: string): FieldChange[] {
  if (isList(before) && isList(after) && before.length === after.length)
    return before.flatMap((each, at) => fieldsOf(each, after[at], `${path}[${at}]`));
  if (isMapping(before) && isMapping(after)) {
    const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
    return names.flatMap(name => fieldsOf(before[name], after[name], path ? `${path}.${name}` : name));
  }
  // A mapping is compared by its fields even where one of the two is absent, so that each secret has its own path.
  if (isMapping(before) && after === undefined)
    return orWhole(fieldsOf(before, {}, path), path, before, null);
  if (isMapping(after) && before === undefined) return orWhole(fieldsOf({}, after, path), path, null, after);
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ field: path, before: before ?? null, after: after ?? null }];
}

/** Returns the changes of a mapping's fields; of one without fields, its own. */
function orWhole(found: FieldChange[], field: string, before: unknown, after: unknown): FieldChange[] {
  return found.length > 0 ? found : [{ field, before, after }];
}

function isSecret(field: string): boolean {
  return field === 'apiKey.value' || field.startsWith('headers.');
}

function hide(value: unknown): unknown {
  return value === null ? null : hidden;
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
