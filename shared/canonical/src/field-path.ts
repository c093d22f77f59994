import type { OperationRequest } from './operation.ts';

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
