import type { IncomingHttpHeaders } from 'node:http';
import type { Scopes } from '@model-gateway/access';
import type { TraceHeaders } from '@model-gateway/canonical';
import type { FormatEndpoint } from '@model-gateway/formats/client';
import type { Reservation } from '../memory/budgets.ts';
import type { ResponseSink } from './response-sink.ts';

/** One method and path of a wire format, with what the gateway does before a request is parsed. */
export interface Endpoint<R = unknown> extends FormatEndpoint<R> {
  /** Resolves references in a body before it is parsed. @throws GatewayError for a missing reference */
  prepare?(
    body: Record<string, unknown>,
    incoming: IncomingRequest,
    requestId: string,
  ): Promise<PreparedRequest>;
}

/** An authenticated request with its body. */
export interface IncomingRequest {
  token: { id: string; project: string } & Scopes;
  /** Hash of the token's secret, by which {@link Ingress.ask} looks the token up. */
  tokenHash: string;
  headers: IncomingHttpHeaders;
  /** The unparsed body, which is freed once the request ends. */
  text: Buffer;
  /** The raw path and query. */
  url: string;
  /** Its trace, if it has one. */
  trace?: TraceHeaders | undefined;
  /** Returns a reservation for memory that the request needs beside its body; the caller must release it. */
  share(): Reservation;
  /** Returns a signal that aborts if the client leaves, or the request is ended. */
  signal(): AbortSignal;
}

/** The result of {@link Endpoint.prepare}. */
export interface PreparedRequest {
  body: Record<string, unknown>;
  text: Buffer;
  /** Wraps the destination of the response. */
  through?(sink: ResponseSink): ResponseSink;
  /** Answers in place of a model once the request is validated. A thrown error is sent to the client. */
  instead?(sink: ResponseSink, signal: AbortSignal): Promise<void>;
}

/** A request for a stored resource; the body is read on demand. */
export interface ResourceRequest extends Omit<IncomingRequest, 'text' | 'signal'> {
  body(): Promise<Buffer>;
}

/** A method and path that is answered from stored data, without a model. */
export interface ResourceEndpoint
  extends Pick<Endpoint, 'path' | 'format' | 'pattern' | 'secretOf' | 'renderError' | 'requestIdHeader'> {
  method: 'GET' | 'POST' | 'DELETE';
  /**
   * Writes the response. A thrown error is sent to the client. `signal` aborts if the client closes the connection or
   * the token loses access.
   */
  answer(incoming: ResourceRequest, sink: ResponseSink, signal: AbortSignal): Promise<void>;
}
