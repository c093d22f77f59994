import type { EndpointName } from '@model-gateway/admin-api';
import type { Response } from 'express';
import type { AuditEvent } from '../audit/record.ts';
import type { Database } from '../database/database.ts';
import type { Projector } from '../projection/projector.ts';
import { lockToken, type Token, tokenChanges } from '../tokens/tokens.ts';
import { callerOf, scopeIn } from './admitted.ts';
import { mayChangeToken } from './token-scope.ts';
import { noSuchToken, showToken } from './token-view.ts';

/**
 * Returns a function that publishes a changed token, and returns it. It throws a GatewayError if there was no live token to change.
 */
export function tokenPublisher(db: Database, projector: Projector) {
  return async <Changed extends Token>(token: Changed | undefined): Promise<Changed> => {
    if (token) await projector.send(await tokenChanges(db, token));
    else await projector.assertCurrent();
    if (!token) throw noSuchToken();
    return token;
  };
}

/** Returns and locks a live token that the caller may change; undefined for one that it may not even see. @throws GatewayError */
export async function admitToken(tx: Database, response: Response, id: string): Promise<Token | undefined> {
  const token = await lockToken(tx, id);
  const isAllowed = token && mayChangeToken(scopeIn(response), callerOf(response), token);
  return isAllowed ? token : undefined;
}

/** Returns the act on a token; for one that is moved, an act in each of its projects. */
export function actsOn(action: EndpointName, before: Token | null, after: Token | null): AuditEvent[] {
  const { id, name } = (after ?? before) as Token;
  const projects = new Set([before, after].flatMap(token => token?.project ?? []));
  return [...projects].map(project => ({
    action,
    subject: { kind: 'token', id, name },
    project,
    before: before && showToken(before),
    after: after && showToken(after),
  }));
}
