import { GatewayError } from '@model-gateway/canonical';
import { z } from 'zod';
import type { NewToken } from '../tokens.ts';

/** The longest name of a token or a project, in characters. */
export const nameCharacters = 200;

/** Matches invisible characters, bidirectional controls and lone surrogates. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

const name = z
  .string()
  .min(1, 'must not be empty')
  .max(nameCharacters, `must have at most ${nameCharacters} characters`)
  .refine(
    text => !invisible.test(text),
    'must not contain control, zero-width or bidirectional characters, or lone surrogates',
  );

const rfc3339 = z.iso
  .datetime({ offset: true })
  .regex(/T\d\d:\d\d:\d\d/, 'must be an RFC 3339 time')
  .transform(text => new Date(text));

const newToken = z.strictObject({ name, project: name.nullish(), expiresAt: rfc3339.nullish() });

/** Parses the body of `POST /tokens`. @throws GatewayError naming the first invalid field */
export function parseNewToken(body: unknown, now: Date): NewToken {
  const result = newToken.safeParse(body, { error: describe });
  if (!result.success) throw wrong(result.error.issues[0]);
  const { project, expiresAt, name } = result.data;
  if (expiresAt && expiresAt <= now) throw invalid('expiresAt', 'must be in the future', 'invalid_value');
  return { name, project: project ?? 'default', expiresAt: expiresAt ?? null };
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
