import type { Response } from 'express';
import { recordEvent } from '../audit/record.ts';
import { nothingChanged } from '../common/bus-unreachable.ts';
import { invalidField } from '../common/invalid-fields.ts';
import type { Database } from '../database/database.ts';
import type { Projector } from '../projection/projector.ts';
import {
  assertRoomForSecret,
  assertRoomForToken,
  assertScopeBytes,
  type TokenBounds,
} from '../tokens/token-bounds.ts';
import { type Rotated, rotateToken } from '../tokens/token-rotation.ts';
import {
  importToken,
  issueToken,
  type RequestedToken,
  revokeToken,
  storedDigest,
  type Token,
  tokenChanges,
} from '../tokens/tokens.ts';
import { actorOf, callerOf, scopeIn } from './admitted.ts';
import { assertConditions } from './conditions.ts';
import { confirmAnswer, keepAnswer, releaseAnswer, sendKept } from './idempotency.ts';
import { idIn } from './path-name.ts';
import type { Handlers } from './routes.ts';
import { actsOn, admitToken, tokenPublisher } from './token-events.ts';
import { parseNewToken, parseRotation } from './token-request.ts';
import { admitNewToken } from './token-scope.ts';
import { showIssued, tagOfToken } from './token-view.ts';

/** The handlers that give tokens their secrets. A change is confirmed only once KV has it. */
export function issuedTokenHandlers(
  db: Database,
  projector: Projector,
  bounds: TokenBounds,
): Pick<Handlers, 'createToken' | 'rotateToken'> {
  const publish = tokenPublisher(db, projector);
  return {
    async createToken(request, response) {
      const { sha256, ...given } = parseNewToken(request.body);
      const caller = callerOf(response);
      const wanted = await admitNewToken(db, caller, scopeIn(response), given);
      if (!caller.isAdmin) assertScopeBytes(bounds, wanted.settings ?? {});
      await projector.assertCurrent();
      const { token, secret, answer } = await db.transaction(async tx => {
        const { project, owner = null, account } = wanted;
        if (!caller.isAdmin) await assertRoomForToken(tx, bounds, { project, owner, account });
        const { secret = null, ...token } =
          sha256 === undefined ? await issueToken(tx, wanted) : await imported(tx, sha256, wanted);
        await recordEvent(tx, actorOf(response), ...actsOn('createToken', null, token));
        const answer = { status: 201, etag: tagOfToken(token).text, body: showIssued(token, secret) };
        await keepAnswer(tx, response, answer);
        return { token, secret, answer };
      });
      try {
        await projector.send(await tokenChanges(db, token));
      } catch (error) {
        if (secret === null) {
          await confirmAnswer(response);
          throw error;
        }
        // The client never got the secret, so the token must not become valid once NATS is back.
        await takeIssueBack(db, response, token);
        throw nothingChanged();
      }
      await sendKept(response, answer);
    },

    async rotateToken(request, response) {
      const graceSeconds = parseRotation(request.body);
      const id = idIn(request.params);
      await projector.assertCurrent();
      const rotated = await db.transaction(async tx => {
        const before = await admitToken(tx, response, id);
        if (before) assertConditions(request, tagOfToken(before));
        if (before && graceSeconds > 0 && !callerOf(response).isAdmin) await assertRoomForSecret(tx, id);
        const after = before && (await rotateToken(tx, id, graceSeconds));
        if (!after) return undefined;
        const { secret, ...token } = after.token;
        await recordEvent(tx, actorOf(response), ...actsOn('rotateToken', before, token));
        const answer = { status: 200, body: showIssued(token, secret) };
        await keepAnswer(tx, response, answer);
        return { ...after, answer };
      });
      await publish(rotated?.token).catch(async error => {
        if (!rotated) throw error;
        // The client never got the new secret, so the earlier ones must work on.
        const restored = await takeRotationBack(db, response, rotated);
        if (restored) void projector.send(await tokenChanges(db, restored)).catch(() => {});
        throw nothingChanged();
      });
      if (rotated) await sendKept(response, rotated.answer);
    },
  };
}

/** Revokes a token that was issued, and forgets its answer. */
async function takeIssueBack(db: Database, response: Response, token: Token): Promise<void> {
  await db.transaction(async tx => {
    await releaseAnswer(tx, response);
    if (await revokeToken(tx, token.id))
      await recordEvent(tx, actorOf(response), ...actsOn('revokeToken', token, null));
  });
}

/** Takes a rotation back; undefined if the token is not live any more. */
async function takeRotationBack(
  db: Database,
  response: Response,
  rotated: Rotated,
): Promise<Token | undefined> {
  return db.transaction(async tx => {
    await releaseAnswer(tx, response);
    const undone = await rotated.undo(tx);
    if (undone) await recordEvent(tx, actorOf(response), ...actsOn('rotateToken', rotated.token, undone));
    return undone;
  });
}

/** Creates a token for an existing secret. @throws GatewayError if there is one already */
async function imported(
  db: Database,
  sha256: string,
  wanted: RequestedToken,
): Promise<Token & { secret?: undefined }> {
  const token = await importToken(db, storedDigest(sha256), wanted);
  if (token) return token;
  throw invalidField('sha256', 'is that of a token that exists or was revoked', 'token_exists');
}
