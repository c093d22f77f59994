import { type IssuedToken, type TokenInfo, tokenSettings } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import type { Request, Response } from 'express';
import type { Token } from '../tokens/tokens.ts';
import { sendResource, type Tag, tagOf } from './conditions.ts';
import { shownSettings } from './shown-settings.ts';

/** Sends a token without its secret. */
export function sendToken(request: Request, response: Response<TokenInfo>, token: Token): void {
  sendResource(request, response, showToken(token), tagOfToken(token));
}

/** Returns the ETag of a token. */
export function tagOfToken(token: Token): Tag {
  return tagOf(showToken(token), ['lastUsedAt']);
}

export function noSuchToken(): GatewayError {
  return new GatewayError('not-found', 'There is no such token.', { code: 'token_not_found' });
}

/** Returns a token with its new secret; `secret` is null if only its SHA-256 is known. */
export function showIssued(token: Token, secret: string | null): IssuedToken {
  return { ...showToken(token), token: secret };
}

const { owner: _, expiresAt: __, ...storedSettings } = tokenSettings;

/** Returns a token as the API shows it. */
export function showToken({
  id,
  name,
  project,
  owner,
  prefix,
  disabled,
  settings,
  ...token
}: Token): TokenInfo {
  return {
    ...{ id, name, project, owner, prefix, disabled },
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt?.toISOString() ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    ...shownSettings<Pick<TokenInfo, keyof typeof storedSettings>>(storedSettings, {
      ...settings,
      tags: settings.tags ?? {},
    }),
  };
}
