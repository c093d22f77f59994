import { hidden } from './kinds.ts';

/** A field of an entry that differs. `before` or `after` is null where it is absent. */
interface FieldChange {
  /** Its path, such as `targets[0].model`. */
  field: string;
  before: unknown;
  after: unknown;
}

/** Returns the fields in which two entries differ. Secrets are hidden. `name` is left out. */
export function differences(before: object | null, after: object | null): FieldChange[] {
  return fieldsOf({ ...before, name: null }, { ...after, name: null }, '').map(
    ({ field, before, after }) => ({
      ...{ field, before: withoutSecrets(before, field), after: withoutSecrets(after, field) },
    }),
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

/** Hides the secrets in the value of a field: the field itself may be one, or hold some. */
function withoutSecrets(value: unknown, path: string): unknown {
  if (value === null || value === undefined) return value;
  if (isList(value)) return value.map((each, at) => withoutSecrets(each, `${path}[${at}]`));
  if (isMapping(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        withoutSecrets(each, path ? `${path}.${name}` : name),
      ]),
    );
  return isSecret(path) ? hidden : value;
}

/** True for the path of a text that is a secret. The name and the path of a header's reference are none. */
function isSecret(path: string): boolean {
  if (path.startsWith('headers.')) return !/\.(?:env|file)$/.test(path);
  return /^(?:apiKey|apiKeys\[\d+\]\.key|proxy\.password)\.value$/.test(path);
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
