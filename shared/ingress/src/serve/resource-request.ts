import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Access, hashSecret, type Token } from '@model-gateway/access';
import { GatewayError, toGatewayError } from '@model-gateway/canonical';
import { checkContentType } from '@model-gateway/service';
import { type Admitted, secretsOf } from '../admit/admit.ts';
import type { ResourceEndpoint } from '../answer/endpoint.ts';
import { type ResponseSink, sendError } from '../answer/response-sink.ts';
import { beginTrace } from '../attempts/request-trace.ts';
import type { Reservation } from '../memory/budgets.ts';
import type { IngressDeps } from '../process/deps.ts';
import { type BodyLimits, discard, readBody } from '../read/body.ts';

/**
 * Runs `write`, and aborts it if the client closes the connection, its token loses access, or an administrator ends the request that
 * was `admitted`.
 */
export async function answerWhileAllowed(
  sink: ResponseSink,
  {
    access,
    token,
    admitted,
  }: { access: Access; token: Token; admitted?: Pick<Admitted, 'endForRevocation'> },
  write: (signal: AbortSignal) => Promise<void> | undefined,
): Promise<void> {
  const over = new AbortController();
  const releaseToken = access.hold(token, { end: reason => over.abort(reason) });
  if (admitted) admitted.endForRevocation = over.abort.bind(over);
  sink.on('close', () => over.abort(new GatewayError('cancelled', 'The client left.')));
  try {
    await write(over.signal);
    const { reason } = over.signal;
    if (reason instanceof GatewayError && (reason.kind !== 'cancelled' || reason.details.endedBy))
      sink.destroy();
  } catch (thrown) {
    if (!sink.headersSent) throw thrown;
    // A response that has begun cannot become an error: close the connection.
    sink.destroy();
  } finally {
    releaseToken();
  }
}

/** Handles one request for a stored resource. */
export async function runResourceRequest(
  endpoint: ResourceEndpoint,
  { access, clock, held, shares, clientAddress, observer, traces }: IngressDeps,
  limits: BodyLimits,
  requestId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const startedAt = clock.monotonic();
  const client = clientAddress(request);
  const trace = beginTrace(traces, { requestId, endpoint, headers: request.headers, client });
  observer.began();
  let token: Token | undefined;
  let error: GatewayError | undefined;
  let share: Reservation | undefined;
  let releaseSlot = () => {};
  try {
    const now = clock.now();
    const secret = access.choose(secretsOf(request, endpoint.secretOf?.(request)), now);
    token = access.check(secret, now, { endpoint: endpoint.format, client });
    releaseSlot = shares.requests.open(token.id);
    const reservation = held.share(token.id);
    share = reservation;
    const { headers, url = '/' } = request;
    const body = async () => {
      checkContentType(headers, ['application/json']);
      return readBody(request, limits, reservation);
    };
    const resourceRequest = {
      token,
      tokenHash: hashSecret(secret as string),
      headers,
      url,
      body,
      share: () => reservation.part(),
    };
    await answerWhileAllowed(response, { access, token }, signal =>
      endpoint.answer(resourceRequest, response, signal),
    );
  } catch (thrown) {
    error = toGatewayError(thrown);
    if (!response.headersSent && !response.destroyed)
      sendError(response, endpoint.renderError(error, requestId, request));
  }
  share?.release();
  releaseSlot();
  // The endpoint may not have read the body.
  discard(request, clock);
  observer.ended({
    requestId,
    endpoint: endpoint.path,
    model: '',
    status: response.statusCode,
    startedAt,
    client,
    trace,
    ...(token && { tokenId: token.id, project: token.project }),
    ...(error && { error }),
  });
  trace?.end(
    { 'gateway.token.id': token?.id, 'gateway.project': token?.project },
    response.statusCode,
    error?.kind,
  );
}
