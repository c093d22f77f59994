import { newToken } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import type { z } from 'zod';
import type { WantedToken } from '../tokens.ts';

/** Parses the body of `POST /tokens`. @throws GatewayError naming the first invalid field */
export function parseNewToken(body: unknown, now: Date): WantedToken {
  const result = newToken.safeParse(body, { error: describe });
  if (!result.success) throw wrong(result.error.issues[0]);
  const { project, name } = result.data;
  const expiresAt = result.data.expiresAt ? new Date(result.data.expiresAt) : null;
  if (expiresAt && expiresAt <= now) throw invalid('expiresAt', 'must be in the future', 'invalid_value');
  return { name, project: project ?? 'default', expiresAt };
}

function wrong(issue: z.core.$ZodIssue | undefined): GatewayError {
  const field = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path[0];
  if (!issue || field === undefined) {
    return new GatewayError('invalid-request', 'The body must be a JSON object.', { code: 'invalid_type' });
  }
  return invalid(String(field), issue.message, codeOf(issue));
}

function invalid(param: string, reason: string, code: string): GatewayError {
  return new GatewayError('invalid-request', `${param}: ${reason}.`, { param, code });
}

function codeOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return 'unknown_parameter';
  if (issue.code === 'invalid_type') {
    return issue.message === required ? 'missing_required_parameter' : 'invalid_type';
  }
  return issue.code === 'too_big' ? 'string_above_max_length' : 'invalid_value';
}

const required = 'is required';

function describe(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return 'is not a known field';
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? required : `must be a ${issue.expected}`;
  return issue.code === 'invalid_format'
    ? 'must be an RFC 3339 time such as 2030-01-31T12:00:00Z'
    : undefined;
}
