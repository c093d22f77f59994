import { isAddressRange } from '@model-gateway/access';
import { mostScopes, newToken, rotation, tokenChange } from '@model-gateway/admin-api';
import { z } from 'zod/mini';
import type { TokenSettings } from '../database/tables.ts';
import type { RequestedToken, TokenEdit } from '../tokens/tokens.ts';
import { parseBody } from './parse-body.ts';

/** The addresses of the contract, with a check of their form. */
const addresses = {
  allowedAddresses: z.nullish(
    z
      .array(
        z.string().check(z.refine(isAddressRange, 'must be an IP address, or a range such as 10.0.0.0/8')),
      )
      .check(z.maxLength(mostScopes, `must hold at most ${mostScopes} entries`)),
  ),
};
const checkedToken = z.extend(newToken, addresses);
const checkedChange = z.extend(tokenChange, addresses);

/** Parses the body of `POST /tokens`. `sha256` is that of an existing secret. @throws GatewayError naming every invalid field */
export function parseNewToken(body: unknown): RequestedToken & { sha256: string | undefined } {
  const { project, name, owner, expiresAt, disabled, sha256, ...settings } = parseBody(checkedToken, body);
  return {
    name,
    project: project ?? 'default',
    owner: owner ?? null,
    expiresAt: timeOf(expiresAt) ?? null,
    disabled: disabled ?? false,
    settings: withoutNull(settingsOf(settings)),
    sha256: sha256 ?? undefined,
  };
}

/** Parses the body of `PATCH /tokens/{id}`. @throws GatewayError naming every invalid field */
export function parseTokenChange(body: unknown): TokenEdit {
  const { name, project, owner, expiresAt, disabled, ...settings } = parseBody(checkedChange, body);
  const end = timeOf(expiresAt);
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
function settingsOf(given: SettingsEdit | Record<string, unknown>): SettingsEdit {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function withoutNull(settings: SettingsEdit): TokenSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
}

/** Returns the time of a text; null for never, undefined if absent. */
function timeOf(text: string | null | undefined): Date | null | undefined {
  return text === null || text === undefined ? text : new Date(text);
}
