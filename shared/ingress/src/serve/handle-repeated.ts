import type { IncomingMessage } from 'node:http';
import { assertUse } from '@model-gateway/access';
import type { GatewayError, TraceHeaders } from '@model-gateway/canonical';
import type { IncomingRequest } from '../answer/endpoint.ts';
import type { ResponseSink } from '../answer/response-sink.ts';
import type { Observed } from '../process/request-line.ts';
import { handle, type RequestContext } from './handle.ts';

/** A request without a connection of its own: its token is known by its hash, and its body was received. */
export type RepeatedRequest = Omit<IncomingRequest, 'token' | 'share' | 'signal' | 'trace'> &
  Pick<Observed, 'client'> & {
    /** The trace of the request that caused it. */
    cause?: TraceHeaders | undefined;
    /** True if the request is made again after this error; absent if it is not. */
    again?: ((error: GatewayError) => boolean) | undefined;
  };

/** Handles a request that did not arrive over HTTP. Resolves when it has ended, with the error if it failed. */
export function handleRepeated(
  context: RequestContext,
  { client, tokenHash, headers, url, text, cause, again }: RepeatedRequest,
  sink: ResponseSink,
): Promise<GatewayError | undefined> {
  const { endpoint, deps, requestId } = context;
  return handle(
    context,
    {
      client,
      headers,
      cause,
      again,
      token() {
        const token = deps.access.checkHash(tokenHash, deps.clock.now());
        // The scopes may have changed since the client connected, or since the work was stored.
        assertUse(token, { endpoint: endpoint.format, client });
        return token;
      },
      async receive({ share }) {
        share.take(text.length);
        return { headers, url, tokenHash: () => tokenHash, body: text };
      },
      // Only a request over HTTP can select another shape of errors.
      renderError: error => endpoint.renderError(error, requestId, { headers: {}, url } as IncomingMessage),
    },
    sink,
  );
}
