import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type {
  GatewayError,
  GenerateAnswer,
  GenerateEvent,
  GenerateRequest,
  Operation,
  WireFormat,
} from '@model-gateway/canonical';

/** What a request asks for, as far as routing and the bus need to know. */
export interface ParsedRequest {
  model: string;
  stream: boolean;
  /** The request in no format, for targets that speak another one. @throws GatewayError for what no other format has */
  canonical(): GenerateRequest;
  /** Client headers that travel to an upstream of the same format. */
  headers?: Record<string, string>;
  /** The text's history holds what another vendor made: a target of its own format is sent the text without that. */
  foreign?: boolean;
  /** Writes the answer of a target that speaks another format. */
  render: AnswerRenderer;
  /** How a stream is put on the wire; where absent, as server-sent events. */
  framing?: () => Framing;
}

/** Puts the server-sent events of one stream on the wire in another way. */
export interface Framing {
  mediaType: string;
  /** `sse` may begin and end anywhere. */
  write(sse: string | Uint8Array): string;
  /** What comes after the last event. */
  end(): string;
}

/** A request that only targets of the client's format are asked, and that the ingress answers itself if none gives an answer. */
export interface LocalRequest {
  model: string;
  /** Client headers that travel to an upstream. */
  headers?: Record<string, string>;
  /** As that of a {@link ParsedRequest}. */
  foreign?: boolean;
  /** @throws GatewayError */
  answer(): Promise<LocalAnswer>;
}

export interface LocalAnswer {
  body: unknown;
  headers?: Record<string, string>;
}

/** What a rendered answer tells of the gateway's own. */
export interface RenderContext {
  requestId: string;
  /** When the answer began, in seconds since 1970. */
  created: number;
}

/** Writes one answer in the client's format. */
export interface AnswerRenderer {
  /** The body of a whole answer. */
  whole(answer: GenerateAnswer, context: RenderContext): unknown;
  /** What each event adds to a stream; asked for with every event but `verbatim` and `error`, in order. */
  stream(context: RenderContext): (event: GenerateEvent) => string;
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
  /** Matches the raw path where that holds a model's name; `path` then shows where. */
  pattern?: RegExp;
  format: WireFormat;
  operation: Operation;
  /** The secret of the client's token; where absent, that of `Authorization: Bearer`. */
  credential?(request: IncomingMessage): string | undefined;
  /** Checks the headers, before the body is read. @throws GatewayError of kind `invalid-request` */
  checkHeaders?(headers: IncomingHttpHeaders): void;
  /** A header that holds the request's id, beside `x-request-id`. */
  requestIdHeader?: string;
  /**
   * Checks the parsed body of a request; `text` is that body as it came, and `url` the raw path and query.
   * @throws GatewayError of kind `invalid-request` that names the field
   */
  parse(
    body: Record<string, unknown>,
    headers: IncomingHttpHeaders,
    text: Buffer,
    url: string,
  ): ParsedRequest | LocalRequest;
  renderError(error: GatewayError, requestId: string): RenderedError;
  /** The last bytes of a stream that fails after it began. */
  renderErrorEvent(error: GatewayError, requestId: string): string;
  /** What keeps a silent stream alive; empty where nothing may. */
  ping: string;
  /** The same once a part of the answer was written, where it differs. */
  pingWithin?: string;
}
