import { isAddressRange } from '@model-gateway/access';
import { newToken, rotation, type TokenChange, tokenChange } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import { z } from 'zod';
import type { z as mini } from 'zod/mini';
import type { TokenSettings } from '../database/tables.ts';
import type { TokenEdit, WantedToken } from '../tokens.ts';

/** Parses the body of `POST /tokens`. `sha256` is that of an existing secret. @throws GatewayError naming the first invalid field */
export function parseNewToken(body: unknown, now: Date): WantedToken & { sha256: string | undefined } {
  const { project, name, owner, expiresAt, sha256, ...settings } = parse(newToken, body);
  return {
    name,
    project: project ?? 'default',
    owner: owner ?? null,
    expiresAt: timeOf(expiresAt, now) ?? null,
    settings: withoutNull(settingsOf(settings)),
    sha256: sha256 ?? undefined,
  };
}

/** Parses the body of `PATCH /tokens/{id}`. @throws GatewayError naming the first invalid field */
export function parseTokenChange(body: unknown, now: Date): TokenEdit {
  const { name, owner, expiresAt, disabled, ...settings } = parse(tokenChange, body);
  const end = timeOf(expiresAt, now);
  return {
    ...(name !== undefined && { name }),
    ...(owner !== undefined && { owner }),
    ...(end !== undefined && { expiresAt: end }),
    ...(disabled !== undefined && { disabled }),
    settings: settingsOf(settings),
  };
}

/** Parses the body of `POST /tokens/{id}/rotate`, and returns the grace period in seconds. @throws GatewayError */
export function parseRotation(body: unknown): number {
  return parse(rotation, body).graceSeconds ?? 0;
}

type SettingsEdit = NonNullable<TokenEdit['settings']>;

/** Returns the settings that are given: null for those that are removed. */
function settingsOf(given: Pick<TokenChange, keyof TokenSettings>): SettingsEdit {
  const { allowedAddresses } = given;
  const invalid = allowedAddresses?.findIndex(range => !isAddressRange(range)) ?? -1;
  if (invalid >= 0)
    throw invalidField(
      `allowedAddresses[${invalid}]`,
      'must be an IP address, or a range such as 10.0.0.0/8',
      'invalid_value',
    );
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function withoutNull(settings: SettingsEdit): TokenSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
}

/** Returns a time in the future; null for never, undefined if absent. */
function timeOf(text: string | null | undefined, now: Date): Date | null | undefined {
  if (text === null || text === undefined) return text;
  const time = new Date(text);
  if (time <= now) throw invalidField('expiresAt', 'must be in the future', 'invalid_value');
  return time;
}

function parse<Schema extends mini.ZodMiniType>(schema: Schema, body: unknown): mini.infer<Schema> {
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

function invalidField(param: string, reason: string, code: string): GatewayError {
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
