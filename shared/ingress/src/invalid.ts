import { GatewayError } from '@model-gateway/canonical';
import { modelName } from '@model-gateway/wire';
import { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** The first thing that a schema found wrong, in the words and codes of the chat format. */
export function invalidRequest(error: z.ZodError, body: unknown): GatewayError {
  const issue = deepest(error.issues[0] as Issue);
  const param = fieldPath(issue.path);
  const given = issue.path.reduce(
    (value, key) => (value as Record<PropertyKey, unknown> | null)?.[key],
    body,
  );
  const { code, message } = describe(issue, param, given);
  return new GatewayError('invalid-request', message, { param, code });
}

/** Where one form of a union fits down to a part of it, that part is what is wrong. */
function deepest(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const part = issue.errors.flat().find(({ path }) => path.length > 0);
  return part ? deepest({ ...part, path: [...issue.path, ...part.path] } as Issue) : issue;
}

/** `messages[0].role` */
export function fieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? String(key) : `.${String(key)}`))
    .join('');
}

function describe(issue: Issue, param: string, given: unknown): { code: string; message: string } {
  if (given === undefined || (issue.code === 'custom' && issue.params?.missing))
    return { code: 'missing_required_parameter', message: `Missing required parameter: '${param}'.` };
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(param, issue.expected === 'int' ? 'integer' : issue.expected, given);
    case 'invalid_union':
      return wrongUnion(issue, param, given);
    case 'custom':
      if (issue.params?.code === 'invalid_value') return wrongValue(param, issue.params.expected, given);
      if (issue.params?.code) return outOfRange(param, issue.params.code, issue.params.expected, given);
      return wrongType(param, issue.message, given);
    case 'invalid_value':
      return wrongValue(param, `one of ${quoted(issue.values)}`, given);
    case 'too_small':
      if (issue.origin === 'array')
        return {
          code: 'empty_array',
          message: `Invalid '${param}': empty array. Expected at least ${issue.minimum} item.`,
        };
      if (issue.origin === 'string')
        return { code: 'invalid_value', message: `Invalid '${param}': empty string.` };
      return outOfRange(param, `${kindOf(issue)}_below_min_value`, `at least ${issue.minimum}`, given);
    case 'too_big':
      if (issue.origin === 'array') {
        const length = Array.isArray(given) ? given.length : 'more';
        const message = `Invalid '${param}': array too long. Expected at most ${issue.maximum} items, but got ${length}.`;
        return { code: 'array_above_max_length', message };
      }
      if (issue.origin === 'string') {
        const message = `Invalid '${param}': longer than ${issue.maximum} characters.`;
        return { code: 'string_above_max_length', message };
      }
      return outOfRange(param, `${kindOf(issue)}_above_max_value`, `at most ${issue.maximum}`, given);
    default:
      return { code: 'invalid_value', message: `Invalid '${param}': ${issue.message}.` };
  }
}

/** What a number is, as far as a schema tells. */
function kindOf({ origin }: { origin: string }): 'integer' | 'decimal' {
  return origin === 'int' ? 'integer' : 'decimal';
}

/** A union is told apart by one field's values, or its message says what it takes. */
function wrongUnion(issue: Issue, param: string, given: unknown) {
  const options =
    'options' in issue ? (issue.options as unknown[]).filter(option => option != null) : undefined;
  if (!options) {
    const oneOfWords = typeof given === 'string' && takesWords(issue);
    return oneOfWords ? wrongValue(param, issue.message, given) : wrongType(param, issue.message, given);
  }
  return typeof given === 'string'
    ? wrongValue(param, `one of ${quoted(options)}`, given)
    : wrongType(param, 'string', given);
}

function takesWords(issue: Issue): boolean {
  return issue.code === 'invalid_union' && issue.errors.flat().some(({ code }) => code === 'invalid_value');
}

function wrongType(param: string, expected: string, given: unknown) {
  const message = `Invalid type for '${param}': expected ${withArticle(expected)}, but got ${typeName(given)} instead.`;
  return { code: 'invalid_type', message };
}

function wrongValue(param: string, expected: string, given: unknown) {
  return {
    code: 'invalid_value',
    message: `Invalid value for '${param}': expected ${expected}, but got ${shown(given)}.`,
  };
}

function outOfRange(param: string, code: string, expected: string, given: unknown) {
  return { code, message: `Invalid '${param}': expected a value of ${expected}, but got ${shown(given)}.` };
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

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function quoted(values: readonly unknown[]): string {
  return values.map(value => `'${String(value)}'`).join(', ');
}

const named = z.object({ model: modelName });

/** A model's name that stands in a path or a query. @throws GatewayError for one that no model can have */
export function checkModelName(model: string): string {
  const { success, error } = named.safeParse({ model });
  if (!success) throw invalidRequest(error, { model });
  return model;
}
