import type { FieldError } from '@model-gateway/admin-api';
import { z } from 'zod';

const required = 'is required';

/** Returns the error of each field that issues are about, in their order: the first one of each field. */
export function fieldErrors(issues: readonly z.core.$ZodIssue[]): FieldError[] {
  const byPath = new Map<string, FieldError>();
  for (const issue of issues)
    for (const fields of pathsOf(issue)) {
      const path = z.core.toDotPath(fields);
      if (!byPath.has(path)) byPath.set(path, { path, message: issue.message, code: codeOf(issue) });
    }
  return [...byPath.values()];
}

function pathsOf(issue: z.core.$ZodIssue): PropertyKey[][] {
  if (issue.code !== 'unrecognized_keys') return [issue.path];
  return issue.keys.map(key => [...issue.path, key]);
}

function codeOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return 'unknown_parameter';
  if (issue.code === 'invalid_type') {
    return issue.message === required ? 'missing_required_parameter' : 'invalid_type';
  }
  if (issue.code !== 'too_big') return 'invalid_value';
  return issue.origin === 'string' ? 'string_above_max_length' : 'invalid_value';
}

/** Error messages for issues that the schema has none for. */
export function describe(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'unrecognized_keys':
      return 'is not a known field';
    case 'invalid_type':
      return issue.input === undefined
        ? required
        : `must be ${typeNames[issue.expected] ?? `a ${issue.expected}`}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'invalid_key':
      return issue.issues[0]?.message;
    case 'invalid_union':
      return issue.errors[0]?.[0]?.message;
    case 'invalid_format':
      return formatNames[issue.format];
    case 'too_small':
      return `must be at least ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    default:
      return undefined;
  }
}

const formatNames: Partial<Record<string, string>> = {
  datetime: 'must be an RFC 3339 time such as 2030-01-31T12:00:00Z',
  uuid: 'must be a UUID',
};

const typeNames: Partial<Record<string, string>> = {
  int: 'a whole number',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
