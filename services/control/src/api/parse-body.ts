import { GatewayError } from '@model-gateway/canonical';
import { z } from 'zod';
import type { z as mini } from 'zod/mini';

/** Parses a body. @throws GatewayError naming the first invalid field */
export function parseBody<Schema extends mini.ZodMiniType>(
  schema: Schema,
  body: unknown,
): mini.infer<Schema> {
  const result = schema.safeParse(body, { error: describe });
  if (result.success) return result.data;
  throw wrong(result.error.issues[0]);
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

function describe(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return 'is not a known field';
  if (issue.code === 'invalid_type')
    return issue.input === undefined
      ? required
      : `must be ${typeNames[issue.expected] ?? `a ${issue.expected}`}`;
  return issue.code === 'invalid_format'
    ? 'must be an RFC 3339 time such as 2030-01-31T12:00:00Z'
    : undefined;
}

const typeNames: Partial<Record<string, string>> = {
  int: 'a whole number',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
