import type { z } from 'zod';
import { ApiError } from './api-error.ts';

type Issue = z.core.$ZodIssue;

/** The body as the schema reads it. @throws ApiError in OpenAI's words */
export function validated<T>(schema: z.ZodType<T>, body: unknown): T {
  const { success, data, error } = schema.safeParse(body);
  if (!success) throw validationError(body, error);
  return data;
}

/** The first problem of a body, in OpenAI's words, with its code and `param`: `input[0].content[1].text`. */
export function validationError(body: unknown, { issues: [first] }: z.ZodError): ApiError {
  if (!first) return badRequest('The request is not valid.', null, null);
  const issue = deepest(first);
  const param = pathOf(issue.path);
  if (issue.path.length === 0 && issue.code === 'invalid_type')
    return badRequest('The request body must be a JSON object.', null, null);
  const value = valueAt(body, issue.path);
  if (issue.code === 'unrecognized_keys') {
    const unknown = pathOf([...issue.path, issue.keys[0] ?? '']);
    return badRequest(`Unknown parameter: '${unknown}'.`, 'unknown_parameter', unknown);
  }
  if (value === undefined)
    return badRequest(`Missing required parameter: '${param}'.`, 'missing_required_parameter', param);
  const [message, code] = reasonOf(issue, param, value);
  return badRequest(message, code, param);
}

export function badRequest(message: string, code: string | null, param: string | null): ApiError {
  return new ApiError(400, message, code, param);
}

/** Of a union, the branch that fails deepest is the one that was meant. */
function deepest(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const branches = issue.errors.flatMap(([inner]) => (inner ? [deepest(inner)] : []));
  const furthest = branches.reduce<Issue | null>(
    (one, other) => (one && one.path.length >= other.path.length ? one : other),
    null,
  );
  if (!furthest?.path.length) return issue;
  return { ...furthest, path: [...issue.path, ...furthest.path] };
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
      return [
        `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${String(issue.pattern).slice(1, -1)}'.`,
        'invalid_value',
      ];
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
  if ('options' in issue && issue.options) return [choiceMessage(value, [...issue.options]), 'invalid_value'];
  const inner = issue.errors.flatMap(([first]) => first ?? []);
  const choices = inner.flatMap(({ code, ...rest }) => ('values' in rest ? rest.values : []));
  if (typeof value === 'string' && choices.length > 0)
    return [choiceMessage(value, choices), 'invalid_value'];
  const expected = inner.flatMap(one => ('expected' in one ? [one.expected] : []));
  return [typeMessage(param, expected, value), 'invalid_type'];
}

function typeMessage(param: string, expected: string[], value: unknown): string {
  const wanted = [...new Set(expected.map(type => nouns[type] ?? type))];
  const one = wanted.length > 1 ? `one of ${listed(wanted, 'or')}` : (wanted[0] ?? 'another type');
  return `Invalid type for '${param}': expected ${one}, but got ${nounOf(value)} instead.`;
}

function choiceMessage(value: unknown, values: readonly unknown[]): string {
  const shown = values.map(one => `'${String(one)}'`);
  return `Invalid value: '${String(value).slice(0, 100)}'. Supported values are: ${listed(shown, 'and')}.`;
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
    const wanted = `${side === 'below' ? '>=' : '<='} ${bound}, but got ${value} instead.`;
    const message = `Invalid '${param}': ${kind} ${side} ${limit} value. Expected a value ${wanted}`;
    return [message, `${kind}_${side}_${short}_value`];
  }
  const kind = typeof value === 'string' ? 'string' : 'array';
  const size = typeof value === 'string' || Array.isArray(value) ? value.length : 0;
  const wanted = `${limit} length ${bound}, but got one with length ${size} instead.`;
  return [
    `Invalid '${param}': ${kind} too ${side === 'below' ? 'short' : 'long'}. Expected ${kind === 'array' ? 'an' : 'a'} ${kind} with ${wanted}`,
    size === 0 && kind === 'array' ? 'empty_array' : `${kind}_${side}_${short}_length`,
  ];
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

function listed(items: readonly string[], word: string): string {
  if (items.length < 3) return items.join(` ${word} `);
  return `${items.slice(0, -1).join(', ')}, ${word} ${items.at(-1)}`;
}

function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    body,
  );
}
