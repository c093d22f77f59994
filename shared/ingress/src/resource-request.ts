import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Access, hashSecret, type TokenRecord } from '@model-gateway/access';
import { GatewayError, toGatewayError } from '@model-gateway/canonical';
import { checkContentType } from '@model-gateway/service';
import { sendError } from './answer.ts';
import { discard, readBody } from './body.ts';
import type { BodyLimits } from './body-watch.ts';
import { bearerToken } from './credential.ts';
import type { IngressDeps } from './deps.ts';
import type { ResourceEndpoint } from './endpoint.ts';
import type { Reservation } from './memory-budget.ts';
import type { Observer } from './observe.ts';
import type { ResponseSink } from './response-sink.ts';

/** Has `write` answer until the client leaves, or its token allows it no more. */
export async function answerKept(
  outlet: ResponseSink,
  { access, token }: { access: Access; token: TokenRecord },
  write: (signal: AbortSignal) => Promise<void> | undefined,
): Promise<void> {
  const over = new AbortController();
  const letGo = access.hold(token, reason => over.abort(reason));
  outlet.on('close', () => over.abort(new GatewayError('cancelled', 'The client left.')));
  try {
    await write(over.signal);
    const { reason } = over.signal;
    if (reason instanceof GatewayError && reason.kind !== 'cancelled') outlet.destroy();
  } catch (thrown) {
    if (!outlet.headersSent) throw thrown;
    // What has begun and cannot be ended in good order is broken off.
    outlet.destroy();
  } finally {
    letGo();
  }
}

/** One request for what is kept, and its answer. */
export async function runKept(
  endpoint: ResourceEndpoint,
  { access, held, shares, clientAddress }: IngressDeps,
  limits: BodyLimits,
  observer: Observer,
  requestId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const startedAt = performance.now();
  const client = clientAddress(request);
  observer.began();
  let token: TokenRecord | undefined;
  let error: GatewayError | undefined;
  let share: Reservation | undefined;
  let giveBackPlace = () => {};
  try {
    const { credential = bearerToken } = endpoint;
    const secret = credential(request);
    token = access.check(secret, Date.now());
    giveBackPlace = shares.requests.open(token.id);
    const mine = held.share(token.id);
    share = mine;
    const { headers, url = '/' } = request;
    const body = async () => {
      checkContentType(headers, ['application/json']);
      return readBody(request, limits, mine);
    };
    const asked = {
      token,
      tokenHash: hashSecret(secret as string),
      headers,
      url,
      body,
      share: () => mine.part(),
    };
    await answerKept(response, { access, token }, signal => endpoint.answer(asked, response, signal));
  } catch (thrown) {
    error = toGatewayError(thrown);
    if (!response.headersSent && !response.destroyed)
      sendError(response, endpoint.renderError(error, requestId, request));
  }
  share?.release();
  giveBackPlace();
  // What a client may have sent along is not read.
  discard(request);
  observer.ended({
    requestId,
    endpoint: endpoint.path,
    model: '',
    status: response.statusCode,
    startedAt,
    client,
    ...(token && { tokenId: token.id }),
    ...(error && { error }),
  });
}
