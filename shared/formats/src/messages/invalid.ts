import { GatewayError, valueAt } from '@model-gateway/canonical';
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;
/** The position of a value in the request body. */
export type Path = readonly PropertyKey[];

/** Parses a value by a schema. @throws GatewayError for the first invalid field, as `path: reason` */
export function check<T>(schema: z.ZodType<T>, value: unknown, path: Path = []): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const issue = innermost(error.issues[0] as Issue, value);
  throw invalid([...path, ...issue.path], reason(issue, valueAt(value, issue.path)));
}

export function invalid(path: Path, why: string): GatewayError {
  const param = path.map(String).join('.');
  return new GatewayError('invalid-request', param ? `${param}: ${why}` : why, { param });
}

/** Returns the issue within the list if a field may be a string or a list and is a list. */
function innermost(issue: Issue, value: unknown): Issue {
  if (issue.code !== 'invalid_union' || !Array.isArray(valueAt(value, issue.path))) return issue;
  const inner = issue.errors.flat().find(({ path }) => path.length > 0);
  return inner ? innermost({ ...inner, path: [...issue.path, ...inner.path] }, value) : issue;
}

const nouns: Record<string, string> = {
  int: 'integer',
  array: 'list',
  object: 'object',
};

function reason(issue: Issue, value: unknown): string {
  if (value === undefined) return 'Field required';
  switch (issue.code) {
    case 'invalid_type':
      return `Input should be a valid ${nouns[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `Input should be ${oneOf(issue.values)}`;
    case 'invalid_union':
      return 'options' in issue
        ? `Input should be ${oneOf(issue.options as unknown[])}`
        : `Input should be a valid ${issue.message}`;
    case 'custom':
      return issue.params?.minimum === undefined
        ? `Input should be a valid ${issue.message}`
        : `Input should be greater than or equal to ${issue.params.minimum}`;
    case 'invalid_format':
      return `Input should be a valid ${issue.message}`;
    case 'too_small':
      if (issue.origin === 'array') return `List should have at least ${issue.minimum} item`;
      if (issue.origin === 'string') return `String should have at least ${issue.minimum} character`;
      return `Input should be greater than or equal to ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'string') return `String should have at most ${issue.maximum} characters`;
      return `Input should be less than or equal to ${issue.maximum}`;
    default:
      return issue.message;
  }
}

function oneOf(values: readonly unknown[]): string {
  const quoted = values.map(value => `'${String(value)}'`);
  const last = quoted.pop();
  return quoted.length === 0 ? `${last}` : `${quoted.join(', ')} or ${last}`;
}
