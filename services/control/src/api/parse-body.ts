import { GatewayError } from '@model-gateway/canonical';
import { z } from 'zod';
import type { z as mini } from 'zod/mini';

/** Parses a body. @throws GatewayError naming the first invalid field */
export function parseBody<Schema extends mini.ZodMiniType>(
  schema: Schema,
  body: unknown,
): mini.infer<Schema> {
  const result = schema.safeParse(body, { error: describe });
  if (!result.success) throw wrong(result.error.issues[0]);
  const lost = pathOfProto(body);
  if (lost) throw invalidField(z.core.toDotPath(lost), 'is a name that cannot be used', 'invalid_value');
  return result.data;
}

/** Returns the path of a member named `__proto__`, which schemas leave out; undefined if there is none. */
function pathOfProto(value: unknown): string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const inMember = name === '__proto__' ? [] : pathOfProto(member);
    if (inMember) return [name, ...inMember];
  }
  return undefined;
}

function wrong(issue: z.core.$ZodIssue | undefined): GatewayError {
  const path = issue?.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue?.path;
  if (!issue || !path || path.length === 0) {
    return new GatewayError('invalid-request', 'The body must be a JSON object.', { code: 'invalid_type' });
  }
  return invalidField(z.core.toDotPath(path), issue.message, codeOf(issue));
}

export function invalidField(param: string, reason: string, code: string): GatewayError {
  return new GatewayError('invalid-request', `${param}: ${reason}.`, { param, code });
}

function codeOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return 'unknown_parameter';
  if (issue.code === 'invalid_type') {
    return issue.message === required ? 'missing_required_parameter' : 'invalid_type';
  }
  if (issue.code !== 'too_big') return 'invalid_value';
  return issue.origin === 'string' ? 'string_above_max_length' : 'invalid_value';
}

const required = 'is required';

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
