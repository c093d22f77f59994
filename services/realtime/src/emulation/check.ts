import { deepestIssue, fieldPath, GatewayError, valueAt } from '@model-gateway/canonical';
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Validates a value; `path` is its path in the event. @throws GatewayError of kind `invalid-request` */
export function check<T extends z.ZodType>(schema: T, value: unknown, path = ''): z.output<T> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const issue = deepestIssue(error.issues[0] as Issue);
  const root = path === '' ? [] : [path];
  if (issue.code === 'unrecognized_keys') {
    const name = fieldPath([...root, ...issue.path, issue.keys[0] as string]);
    throw invalid(name, `Unknown parameter: '${name}'.`, 'unknown_parameter');
  }
  throw describe(issue, fieldPath([...root, ...issue.path]), valueAt(value, issue.path));
}

function describe(issue: Issue, param: string, given: unknown) {
  if (given === undefined)
    return invalid(param, `Missing required parameter: '${param}'.`, 'missing_required_parameter');
  const options = 'options' in issue ? (issue.options as unknown[]) : undefined;
  const values = issue.code === 'invalid_value' ? issue.values : options;
  const known = values?.filter(value => value != null).map(value => `'${String(value)}'`);
  if (known) {
    const problem =
      typeof given === 'object' ? `Invalid '${param}'` : `Invalid value: '${String(given).slice(0, 80)}'`;
    return invalid(param, `${problem}. Supported values are: ${list(known)}.`);
  }
  if (issue.code === 'invalid_type')
    return invalid(param, `Invalid type for '${param}': expected ${issue.expected}.`, 'invalid_type');
  if (issue.code === 'too_big' && issue.origin === 'string')
    return invalid(
      param,
      `Invalid '${param}': longer than ${issue.maximum} characters.`,
      'string_above_max_length',
    );
  if (issue.code === 'invalid_union' || issue.code === 'custom')
    return invalid(param, `Invalid '${param}': expected ${issue.message}.`);
  return invalid(param, `Invalid '${param}': ${issue.message}.`);
}

function list(words: string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}`;
}

/** Limits of the client's text in an error, in characters. */
const maxMessage = 500;
const maxParam = 200;

/** Returns the error of a client's event, after which the session goes on. `param` is a path in the event. */
export function invalid(param: string | null, message: string, code = 'invalid_value'): GatewayError {
  const where = param !== null && { param: param.slice(0, maxParam) };
  return new GatewayError('invalid-request', message.slice(0, maxMessage), { ...where, code });
}
