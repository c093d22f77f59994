import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Access, hashSecret, type TokenRecord } from '@model-gateway/access';
import { GatewayError, toGatewayError } from '@model-gateway/canonical';
import { checkContentType } from '@model-gateway/service';
import { sendError } from './answer.ts';
import { readBody } from './body.ts';
import { bearerToken } from './credential.ts';
import type { KeptEndpoint } from './endpoint.ts';
import type { Observer } from './observe.ts';
import type { Outlet } from './outlet.ts';
import type { Parts } from './parts.ts';

/** Has `write` answer until the client leaves, or its token allows it no more. */
export async function answerKept(
  outlet: Outlet,
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
  endpoint: KeptEndpoint,
  { access, held, clientAddress }: Parts,
  bodyBytes: number,
  observer: Observer,
  requestId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const share = held.share();
  const startedAt = performance.now();
  const client = clientAddress(request);
  observer.began();
  let token: TokenRecord | undefined;
  let error: GatewayError | undefined;
  try {
    const { credential = bearerToken } = endpoint;
    const secret = credential(request);
    token = access.check(secret, Date.now());
    const { headers, url = '/' } = request;
    const body = async () => {
      checkContentType(headers, ['application/json']);
      return readBody(request, bodyBytes, share);
    };
    const asked = { token, tokenHash: hashSecret(secret as string), headers, url, body };
    await answerKept(response, { access, token }, signal => endpoint.answer(asked, response, signal));
  } catch (thrown) {
    error = toGatewayError(thrown);
    if (!response.headersSent && !response.destroyed)
      sendError(response, endpoint.renderError(error, requestId, request));
  }
  share.giveBack();
  // What a client may have sent along is not read.
  request.resume();
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
