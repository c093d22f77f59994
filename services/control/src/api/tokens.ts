import type { EndpointName, IssuedToken, TokenInfo } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import type { Response } from 'express';
import { type Act, recordAct } from '../audit/record.ts';
import { nothingChanged } from '../bus-unreachable.ts';
import type { Database } from '../database/database.ts';
import type { Projector } from '../projector.ts';
import { type Rotated, rotateToken } from '../token-rotation.ts';
import {
  editToken,
  importToken,
  issueToken,
  liveToken,
  liveTokens,
  revokeToken,
  storedDigest,
  type Token,
  tokenChanges,
  type WantedToken,
} from '../tokens.ts';
import { actorOf, callerOf, reachIn } from './admitted.ts';
import { idIn } from './path-name.ts';
import type { Handlers } from './routes.ts';
import { admitChange, admitNewToken, mayChangeToken, reachesToken } from './token-reach.ts';
import { parseNewToken, parseRotation, parseTokenChange } from './token-request.ts';

type TokenHandlers = Pick<
  Handlers,
  'listTokens' | 'createToken' | 'changeToken' | 'rotateToken' | 'revokeToken'
>;

/** The handlers for tokens. A change is confirmed only once KV has it. */
export function tokenHandlers(db: Database, projector: Projector): TokenHandlers {
  const publish = publisher(db, projector);
  return {
    async listTokens(_request, response) {
      const [caller, reach] = [callerOf(response), reachIn(response)];
      const data = (await liveTokens(db)).filter(token => reachesToken(reach, caller, token));
      response.json({ data: data.map(showToken) });
    },

    async createToken(request, response) {
      const { sha256, ...given } = parseNewToken(request.body, new Date());
      const wanted = await admitNewToken(db, callerOf(response), reachIn(response), given);
      await projector.assertCurrent();
      const { secret = null, ...token } = await db.transaction(async tx => {
        const made = sha256 === undefined ? await issueToken(tx, wanted) : await imported(tx, sha256, wanted);
        await recordAct(tx, actorOf(response), ...actsOn('createToken', null, made));
        return made;
      });
      try {
        await projector.send(await tokenChanges(db, token));
      } catch (error) {
        // Without its secret, which the client never got, the token must not become valid once NATS is back.
        if (secret === null) throw error;
        await revoke(db, response, token.id);
        throw nothingChanged();
      }
      response.status(201).set('cache-control', 'no-store').json(showIssued(token, secret));
    },

    async changeToken(request, response) {
      const edit = parseTokenChange(request.body, new Date());
      const id = idIn(request.params);
      const changed = await db.transaction(async tx => {
        const before = await admitToken(tx, response, id);
        if (!before) return undefined;
        await admitChange(tx, callerOf(response), reachIn(response), before, edit);
        const after = await editToken(tx, id, edit);
        if (after) await recordAct(tx, actorOf(response), ...actsOn('changeToken', before, after));
        return after;
      });
      response.json(showToken(await publish(changed)));
    },

    async rotateToken(request, response) {
      const graceSeconds = parseRotation(request.body);
      const id = idIn(request.params);
      await projector.assertCurrent();
      const rotated = await db.transaction(async tx => {
        const before = await admitToken(tx, response, id);
        const after = before && (await rotateToken(tx, id, graceSeconds));
        if (after) await recordAct(tx, actorOf(response), ...actsOn('rotateToken', before, after.token));
        return after;
      });
      const { secret, ...token } = await publish(rotated?.token).catch(async error => {
        if (!rotated) throw error;
        // The client never got the new secret, so the earlier ones must work on.
        const restored = await takeBack(db, response, rotated);
        if (restored) void projector.send(await tokenChanges(db, restored)).catch(() => {});
        throw nothingChanged();
      });
      response.set('cache-control', 'no-store').json(showIssued(token, secret));
    },

    async revokeToken(request, response) {
      const id = idIn(request.params);
      // It takes effect before KV has it: it is announced to all followers even while KV cannot be written.
      await publish(await revoke(db, response, id));
      response.status(204).end();
    },
  };
}

/**
 * Returns a function that publishes a changed token, and returns it. It throws a GatewayError if there was no live token to change.
 */
function publisher(db: Database, projector: Projector) {
  return async <Changed extends Token>(token: Changed | undefined): Promise<Changed> => {
    if (token) await projector.send(await tokenChanges(db, token));
    else await projector.assertCurrent();
    if (!token) throw new GatewayError('not-found', 'There is no such token.', { code: 'token_not_found' });
    return token;
  };
}

/** Revokes a token in the name of the caller; undefined if there is none that the caller may revoke. */
async function revoke(db: Database, response: Response, id: string): Promise<Token | undefined> {
  return db.transaction(async tx => {
    const before = await admitToken(tx, response, id);
    const revoked = before && (await revokeToken(tx, id));
    if (revoked) await recordAct(tx, actorOf(response), ...actsOn('revokeToken', before, null));
    return revoked;
  });
}

/** Takes a rotation back; undefined if the token is not live any more. */
async function takeBack(db: Database, response: Response, rotated: Rotated): Promise<Token | undefined> {
  return db.transaction(async tx => {
    const undone = await rotated.undo(tx);
    if (undone) await recordAct(tx, actorOf(response), ...actsOn('rotateToken', rotated.token, undone));
    return undone;
  });
}

/** Returns a live token that the caller may change; undefined for one that it may not even see. @throws GatewayError */
async function admitToken(tx: Database, response: Response, id: string): Promise<Token | undefined> {
  const token = await liveToken(tx, id);
  const isAllowed = token && mayChangeToken(reachIn(response), callerOf(response), token);
  return isAllowed ? token : undefined;
}

/** Returns the act on a token; for one that is moved, an act in each of its projects. */
export function actsOn(action: EndpointName, before: Token | null, after: Token | null): Act[] {
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

/** Creates a token for an existing secret. @throws GatewayError if there is one already */
async function imported(
  db: Database,
  sha256: string,
  wanted: WantedToken,
): Promise<Token & { secret?: undefined }> {
  const token = await importToken(db, storedDigest(sha256), wanted);
  if (token) return token;
  throw new GatewayError('invalid-request', 'sha256: is that of a token that exists or was revoked.', {
    param: 'sha256',
    code: 'token_exists',
  });
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

function showIssued(token: Token, secret: string | null): IssuedToken {
  return { ...showToken(token), token: secret };
}

function list<Entry>(entries: readonly Entry[] | null | undefined): Entry[] | null {
  return entries ? [...entries] : null;
}
