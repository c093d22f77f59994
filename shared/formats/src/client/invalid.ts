import { deepestIssue, fieldPath, GatewayError, valueAt } from '@model-gateway/canonical';
import { z } from 'zod';
import { modelName } from '../values/schemas.ts';

type Issue = z.core.$ZodIssue;

/** Converts the first issue that a schema found into an error with OpenAI's wording and codes. */
export function invalidRequest(error: z.ZodError, body: unknown): GatewayError {
  const issue = deepestIssue(error.issues[0] as Issue);
  const param = fieldPath(issue.path);
  const actual = valueAt(body, issue.path);
  const { code, message } = describe(issue, param, actual);
  return new GatewayError('invalid-request', message, { param, code });
}

/** Returns the error for a field of the client's with a value that nothing here can express. */
export function unsupportedValue(param: string, why: string): GatewayError {
  const message = `Unsupported value for '${param}': ${why}.`;
  return new GatewayError('invalid-request', message, { param, code: 'unsupported_value' });
}

function describe(issue: Issue, param: string, actual: unknown): { code: string; message: string } {
  if (actual === undefined || (issue.code === 'custom' && issue.params?.missing))
    return { code: 'missing_required_parameter', message: `Missing required parameter: '${param}'.` };
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(param, issue.expected === 'int' ? 'integer' : issue.expected, actual);
    case 'invalid_union':
      return wrongUnion(issue, param, actual);
    case 'custom':
      if (issue.params?.code === 'invalid_value') return wrongValue(param, issue.params.expected, actual);
      if (issue.params?.code) return outOfRange(param, issue.params.code, issue.params.expected, actual);
      return wrongType(param, issue.message, actual);
    case 'invalid_format':
      return wrongValue(param, withArticle(issue.message), actual);
    case 'invalid_value':
      return wrongValue(param, `one of ${quoted(issue.values)}`, actual);
    case 'too_small':
      if (issue.origin === 'array')
        return {
          code: 'empty_array',
          message: `Invalid '${param}': empty array. Expected at least ${issue.minimum} item.`,
        };
      if (issue.origin === 'string')
        return { code: 'invalid_value', message: `Invalid '${param}': empty string.` };
      return outOfRange(param, `${kindOf(issue)}_below_min_value`, `at least ${issue.minimum}`, actual);
    case 'too_big':
      if (issue.origin === 'array') {
        const length = Array.isArray(actual) ? actual.length : 'more';
        const message = `Invalid '${param}': array too long. Expected at most ${issue.maximum} items, but got ${length}.`;
        return { code: 'array_above_max_length', message };
      }
      if (issue.origin === 'string') {
        const message = `Invalid '${param}': longer than ${issue.maximum} characters.`;
        return { code: 'string_above_max_length', message };
      }
      return outOfRange(param, `${kindOf(issue)}_above_max_value`, `at most ${issue.maximum}`, actual);
    default:
      return { code: 'invalid_value', message: `Invalid '${param}': ${issue.message}.` };
  }
}

/** The kind of number that a schema expects, for the error code. */
function kindOf({ origin }: { origin: string }): 'integer' | 'decimal' {
  return origin === 'int' ? 'integer' : 'decimal';
}

/** Describes a failed union, by the values of its discriminating field or by the schema's own message. */
function wrongUnion(issue: Issue, param: string, actual: unknown) {
  const options =
    'options' in issue ? (issue.options as unknown[]).filter(option => option != null) : undefined;
  if (!options) {
    const oneOfWords = typeof actual === 'string' && takesWords(issue);
    return oneOfWords ? wrongValue(param, issue.message, actual) : wrongType(param, issue.message, actual);
  }
  return typeof actual === 'string'
    ? wrongValue(param, `one of ${quoted(options)}`, actual)
    : wrongType(param, 'string', actual);
}

function takesWords(issue: Issue): boolean {
  return issue.code === 'invalid_union' && issue.errors.flat().some(({ code }) => code === 'invalid_value');
}

function wrongType(param: string, expected: string, actual: unknown) {
  const message = `Invalid type for '${param}': expected ${withArticle(expected)}, but got ${typeName(actual)} instead.`;
  return { code: 'invalid_type', message };
}

function wrongValue(param: string, expected: string, actual: unknown) {
  return {
    code: 'invalid_value',
    message: `Invalid value for '${param}': expected ${expected}, but got ${preview(actual)}.`,
  };
}

function outOfRange(param: string, code: string, expected: string, actual: unknown) {
  return {
    code,
    message: `Invalid '${param}': expected a value of ${expected}, but got ${preview(actual)}.`,
  };
}

function withArticle(noun: string): string {
  if (/^(one |an? |')/.test(noun)) return noun;
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return 'an infinite number';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a number';
  return withArticle(typeof value);
}

function preview(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function quoted(values: readonly unknown[]): string {
  return values.map(value => `'${String(value)}'`).join(', ');
}

/** Returns a value as a schema reads it. @throws GatewayError for the first issue that it finds */
export function checked<T>(schema: z.ZodType<T>, value: Record<string, unknown>): T {
  const { success, data, error } = schema.safeParse(value);
  if (!success) throw invalidRequest(error, value);
  return data;
}

const named = z.object({ model: modelName });

/** Checks a model's name from a path or a query. @throws GatewayError if the name is not valid */
export function checkModelName(model: string): string {
  return checked(named, { model }).model;
}
