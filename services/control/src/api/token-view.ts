import type { IssuedToken, TokenInfo } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import type { Request, Response } from 'express';
import type { Token } from '../tokens/tokens.ts';
import { sendResource, type Tag, tagOf } from './conditions.ts';

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

/** Returns a token as the API shows it. */
export function showToken({ id, name, project, prefix, createdAt, expiresAt, ...token }: Token): TokenInfo {
  const { models, endpoints, allowedAddresses, limits, budget, tags } = token.settings;
  return {
    id,
    name,
    project,
    owner: token.owner,
    prefix,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    disabled: token.disabled,
    models: list(models),
    endpoints: list(endpoints),
    allowedAddresses: list(allowedAddresses),
    limits: limits ?? null,
    budget: budget ?? null,
    tags: tags ?? {},
  };
}

function list<Entry>(entries: readonly Entry[] | null | undefined): Entry[] | null {
  return entries ? [...entries] : null;
}
