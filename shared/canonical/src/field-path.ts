import type { z } from 'zod';
import type { GenerateRequest } from './generate.ts';
import type { OperationRequest } from './operations.ts';

/** A field of a canonical request of any operation. */
type Field = OperationRequest extends infer R ? (R extends OperationRequest ? keyof R : never) : never;

/** A field of a canonical request, or a place within it: `maxTokens`, `messages[2].content[0]`. */
export type FieldPath = Field | `${Field}[${string}` | `${Field}.${string}`;

/** A client format's names of canonical fields, where they differ. The first name that fits a path is taken. */
export type FieldNames = Readonly<Partial<Record<FieldPath, string>>>;

/** Returns a path with another name at its beginning: the first of `names` that fits; undefined if none does. */
export function renamePath(
  path: string,
  names: Readonly<Partial<Record<string, string>>>,
): string | undefined {
  const found = Object.keys(names).find(
    name => path.startsWith(name) && /^(?:[.[]|$)/.test(path.slice(name.length)),
  );
  return found === undefined ? undefined : `${names[found]}${path.slice(found.length)}`;
}

/** A format's names of each canonical field: the first is the one for its clients, and upstreams may use any. */
type FieldTable = Readonly<Partial<Record<FieldPath, string | readonly [string, ...string[]]>>>;

/** A format's names of canonical fields whose values are the same in the format. */
export type PlainFields = Readonly<Partial<Record<keyof GenerateRequest, string>>>;
export type PlainField<T extends PlainFields> = keyof T & keyof GenerateRequest;

/** The plain fields of a body, each of which may be `Unset`, too. */
export type PlainBody<T extends PlainFields, Unset> = {
  [C in PlainField<T> as T[C] & string]?: GenerateRequest[C] | Unset;
};

/** A format's fields in both directions. */
export interface FormatFields<P extends PlainFields = PlainFields> {
  /** The names for clients. */
  names: FieldNames;
  /** The canonical field of each name; the first that has it. */
  paths: Readonly<Record<string, FieldPath>>;
  /** The fields that need no translation, where the format names any. */
  plain: P;
}

/** Reads a table of fields in both directions; `plain` has further fields, which need no translation. */
export function formatFields<const P extends PlainFields>(
  table: FieldTable,
  plain = {} as P,
): FormatFields<P> {
  const entries = (Object.entries({ ...table, ...plain }) as [FieldPath, string | string[]][]).map(
    ([path, names]) => [path, [names].flat()] as const,
  );
  const paths: Record<string, FieldPath> = {};
  for (const [path, names] of entries) for (const name of names) paths[name] ??= path;
  return { names: Object.fromEntries(entries.map(([path, [name]]) => [path, name])), paths, plain };
}

type Issue = z.core.$ZodIssue;

/** Returns the issue of a nested field if one option of a union fits down to that field. */
export function deepestIssue(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const part = issue.errors.flat().find(({ path }) => path.length > 0);
  return part ? deepestIssue({ ...part, path: [...issue.path, ...part.path] }) : issue;
}

/** Returns the member of a JSON value at a path, or undefined. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key], value);
}

/** Formats a path, as `messages[0].role`. */
export function fieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? String(key) : `.${String(key)}`))
    .join('');
}
