import { isAddressRange } from '@model-gateway/access';
import { newToken, rotation, type TokenChange, tokenChange } from '@model-gateway/admin-api';
import type { TokenSettings } from '../database/tables.ts';
import type { TokenEdit, WantedToken } from '../tokens.ts';
import { invalidField, parseBody } from './parse-body.ts';

/** Parses the body of `POST /tokens`. `sha256` is that of an existing secret. @throws GatewayError naming the first invalid field */
export function parseNewToken(body: unknown, now: Date): WantedToken & { sha256: string | undefined } {
  const { project, name, owner, expiresAt, sha256, ...settings } = parseBody(newToken, body);
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
  const { name, project, owner, expiresAt, disabled, ...settings } = parseBody(tokenChange, body);
  const end = timeOf(expiresAt, now);
  return {
    ...(name !== undefined && { name }),
    ...(project !== undefined && { project }),
    ...(owner !== undefined && { owner }),
    ...(end !== undefined && { expiresAt: end }),
    ...(disabled !== undefined && { disabled }),
    settings: settingsOf(settings),
  };
}

/** Parses the body of `POST /tokens/{id}/rotate`, and returns the grace period in seconds. @throws GatewayError */
export function parseRotation(body: unknown): number {
  return parseBody(rotation, body).graceSeconds ?? 0;
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
