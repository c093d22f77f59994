import { fieldPath, valueAt } from '@model-gateway/canonical';
import type { z } from 'zod';
import { ApiError, validatedBy } from './api-error.ts';

type Issue = z.core.$ZodIssue;

/** Parses a body. @throws ApiError in OpenAI's words, with a `param` such as `input[0].content[1].text` */
export const validated = validatedBy(({ issues: [first] }, body) => {
  const issue = deepest(first);
  const param = fieldPath(issue.path);
  if (issue.path.length === 0 && issue.code === 'invalid_type')
    return badRequest('The request body must be a JSON object.');
  if (issue.code === 'unrecognized_keys') {
    const unknown = fieldPath([...issue.path, issue.keys[0] ?? '']);
    return badRequest(`Unknown parameter: '${unknown}'.`, 'unknown_parameter', unknown);
  }
  const value = valueAt(body, issue.path);
  if (value === undefined) return missing(param);
  const [message, code] = reasonOf(issue, param, value);
  return badRequest(message, code, param);
});

export function missing(param: string): ApiError {
  return badRequest(`Missing required parameter: '${param}'.`, 'missing_required_parameter', param);
}

export function badRequest(
  message: string,
  code: string | null = null,
  param: string | null = null,
): ApiError {
  return new ApiError(400, message, code, param);
}

/** Returns the issue of the branch of a union that fails at the deepest field. */
function deepest(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const branches = issue.errors.flatMap(([inner]) => (inner ? [deepest(inner)] : []));
  const [furthest] = branches.sort((one, other) => other.path.length - one.path.length);
  return furthest?.path.length ? { ...furthest, path: [...issue.path, ...furthest.path] } : issue;
}

function reasonOf(issue: Issue, param: string, value: unknown): [message: string, code: string] {
  switch (issue.code) {
    case 'invalid_type':
      return [typeMessage(param, [issue.expected], value), 'invalid_type'];
    case 'invalid_value':
      return [choiceMessage(value, issue.values), 'invalid_value'];
    case 'invalid_union':
      return unionReason(issue, param, value);
    case 'invalid_format':
      return [`Invalid '${param}': string does not match pattern '${issue.pattern}'.`, 'invalid_value'];
    case 'too_small':
      return boundReason(param, value, 'below', issue.minimum);
    case 'too_big':
      return boundReason(param, value, 'above', issue.maximum);
    default:
      return [`Invalid '${param}': ${issue.message}`, 'invalid_value'];
  }
}

function unionReason(
  issue: Issue & { code: 'invalid_union' },
  param: string,
  value: unknown,
): [string, string] {
  const inner = issue.errors.flatMap(([first]) => first ?? []);
  const values = inner.flatMap(one => ('values' in one ? one.values : []));
  const choices = ('options' in issue && issue.options) || (typeof value === 'string' ? values : []);
  if (choices.length > 0) return [choiceMessage(value, choices), 'invalid_value'];
  const expected = inner.flatMap(one => ('expected' in one ? [one.expected] : []));
  return [typeMessage(param, expected, value), 'invalid_type'];
}

function typeMessage(param: string, expected: string[], value: unknown): string {
  const types = [...new Set(expected.map(type => nouns[type] ?? type))].join(' or ');
  return `Invalid type for '${param}': expected ${types}, but got ${nounOf(value)} instead.`;
}

function choiceMessage(value: unknown, values: readonly unknown[]): string {
  const choices = values.map(one => `'${String(one)}'`);
  const list = [choices.slice(0, -1).join(', '), ...choices.slice(-1)].filter(Boolean).join(' and ');
  return `Invalid value: '${String(value).slice(0, 100)}'. Supported values are: ${list}.`;
}

function boundReason(
  param: string,
  value: unknown,
  side: 'below' | 'above',
  bound: number | bigint,
): [string, string] {
  const [limit, short] = side === 'below' ? ['minimum', 'min'] : ['maximum', 'max'];
  if (typeof value === 'number') {
    const kind = Number.isInteger(value) && Number.isInteger(Number(bound)) ? 'integer' : 'decimal';
    const message = `Invalid '${param}': ${kind} ${side} ${limit} value ${bound}, but got ${value} instead.`;
    return [message, `${kind}_${side}_${short}_value`];
  }
  const kind = typeof value === 'string' ? 'string' : 'array';
  const { length = 0 } = value as { length?: number };
  const wanted = `${limit} length ${bound}, but got one with length ${length} instead.`;
  const message = `Invalid '${param}': ${kind} too ${side === 'below' ? 'short' : 'long'}. Expected ${wanted}`;
  return [message, length === 0 && kind === 'array' ? 'empty_array' : `${kind}_${side}_${short}_length`];
}

const nouns: Record<string, string> = {
  string: 'a string',
  number: 'a decimal',
  int: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

function nounOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal number';
  return nouns[typeof value] ?? typeof value;
}
