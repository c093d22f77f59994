import type { GatewayError, Operation, WireFormat } from '@model-gateway/canonical';

/** What a request asks for, as far as routing and the bus need to know. */
export interface ParsedRequest {
  model: string;
  stream: boolean;
}

/** An error as a client of the endpoint's format reads it. */
export interface RenderedError {
  status: number;
  body: unknown;
  /** How long the client should wait before it tries again, for `retry-after`. */
  retryAfterMs?: number;
}

/** One method and path of a wire format: how its requests are read and its answers written. */
export interface Endpoint {
  method: 'POST';
  path: string;
  format: WireFormat;
  operation: Operation;
  /**
   * Checks the parsed body of a request.
   * @throws GatewayError of kind `invalid-request` that names the field
   */
  parse(body: Record<string, unknown>): ParsedRequest;
  renderError(error: GatewayError, requestId: string): RenderedError;
  /** The last bytes of a stream that fails after it began. */
  renderErrorEvent(error: GatewayError, requestId: string): string;
  /** What keeps a silent stream alive. */
  ping: string;
}
