import type { z } from 'zod';

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
