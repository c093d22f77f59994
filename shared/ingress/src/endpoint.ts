import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  type GatewayError,
  type GenerateAnswer,
  type GenerateEvent,
  type GenerateRequest,
  KnownFields,
  type Operation,
  type OperationRequest,
  type Result,
  type Usage,
  type WireFormat,
} from '@model-gateway/canonical';
import type { BodyType } from '@model-gateway/service';
import type { ReceivedForm } from './form/received.ts';
import type { Reservation } from './memory-budget.ts';
import type { ResponseSink } from './response-sink.ts';

/** What a request to generate asks for, as far as routing and the bus need to know. */
export interface ParsedRequest {
  model: string;
  stream: boolean;
  /** The top-level members of the text that `canonical` takes with their numbers as they were written; none where absent. */
  exact?: readonly string[];
  /**
   * The request in no format, for targets that speak another one. `exact` are these members, for whom has read them already.
   * @throws GatewayError for what no other format has
   */
  canonical(exact?: Record<string, unknown>): GenerateRequest;
  /** The field that says -1 for no limit of tokens. Only some targets take that, and only in the client's own words. */
  unlimited?: string;
  /** Client headers that travel to an upstream of the same format. */
  headers?: Record<string, string>;
  /** The text's history holds what another vendor made: a target of its own format is sent the text without that. */
  foreign?: boolean;
  /** Writes the answer of a target that speaks another format. */
  render: AnswerRenderer;
  /** How a stream is put on the wire; where absent, as server-sent events. */
  framing?: () => Framing;
}

/** The same of a request for anything else. */
export interface ParsedOperation {
  model: string;
  stream: boolean;
  /** The answer is bytes of no structure, which are given away as they come. */
  bytes?: boolean;
  /** How many inputs it has, where an upstream may take only so many at once. */
  inputs?: number;
  /** How long the audio is that it brings, where that can be told. */
  seconds?: number;
  /** As that of a {@link ParsedRequest}. */
  canonical(): OperationRequest | Promise<OperationRequest>;
  /** Client headers that travel to an upstream of the same format. */
  headers?: Record<string, string>;
  render: ResultRenderer;
}

/** Puts the server-sent events of one stream on the wire in another way. */
export interface Framing {
  mediaType: string;
  /** `sse` may begin and end anywhere. */
  write(sse: string | Uint8Array): string;
  /** What comes after the last event. */
  end(): string;
}

/** A request for the number of tokens of another one. The ingress estimates it if no target counts. */
export interface CountRequest {
  model: string;
  /** Client headers that travel to an upstream of the same format. */
  headers?: Record<string, string>;
  /** As that of a {@link ParsedRequest}. */
  foreign?: boolean;
  /** As that of a {@link ParsedRequest}. */
  exact?: readonly string[];
  /** What is counted, in no format. @throws GatewayError for what no other format has */
  canonical(exact?: Record<string, unknown>): GenerateRequest;
  /** The body that tells the number. */
  renderCount(tokens: number): unknown;
}

/** Who asks, and what. */
export interface IncomingRequest {
  token: { id: string; project: string };
  /** Of the token's secret, by which {@link Ingress.ask} knows it again. */
  tokenHash: string;
  headers: IncomingHttpHeaders;
  /** The body as it came, which is freed once the request is answered. */
  text: Buffer;
  /** The raw path and query. */
  url: string;
  /** Counts what the request holds in memory beside its body; to be given back once that is freed. */
  share(): Reservation;
}

/** A request as it is after {@link Endpoint.prepare}. */
export interface PreparedRequest {
  body: Record<string, unknown>;
  text: Buffer;
  /** Puts something between the answer and its client. */
  through?(outlet: ResponseSink): ResponseSink;
  /** Answers in place of a model, once the request was found to be good; what it throws is the answer. */
  instead?(outlet: ResponseSink, signal: AbortSignal): Promise<void>;
}

/** What is asked of what is kept; the body is read where it is wanted. */
export interface ResourceRequest extends Omit<IncomingRequest, 'text'> {
  body(): Promise<Buffer>;
}

/** A method and path that is answered from what the gateway keeps, without a model. */
export interface ResourceEndpoint
  extends Pick<Endpoint, 'path' | 'pattern' | 'credential' | 'renderError' | 'requestIdHeader'> {
  method: 'GET' | 'POST' | 'DELETE';
  /** Resolves when all is written; what it throws is the answer. `signal` aborts if the client leaves or may ask no more. */
  answer(asked: ResourceRequest, outlet: ResponseSink, signal: AbortSignal): Promise<void>;
}

/** What a rendered answer tells of the gateway's own. */
export interface RenderContext {
  requestId: string;
  /** When the answer began, in seconds since 1970. */
  created: number;
  /** The time, in seconds since 1970, for formats that tell when an answer ended. */
  now?(): number;
}

/** Writes one answer in the client's format. */
export interface AnswerRenderer {
  /** The body of a whole answer. */
  whole(answer: GenerateAnswer, context: RenderContext): unknown;
  /** Writes a stream. */
  stream(context: RenderContext): StreamWriter;
}

/** Writes one answer that comes in one piece. */
export interface ResultRenderer<R extends Result = Result> {
  /** A JSON body, {@link RenderedText} or {@link RenderedPieces}. */
  result(result: R, usage: Usage | null, context: RenderContext): unknown;
  /** Writes it as a stream, where one was asked for. */
  stream?(context: RenderContext): StreamWriter;
}

/** A body that is no JSON. */
export class RenderedText {
  readonly mediaType: string;
  readonly text: string;

  constructor(mediaType: string, text: string) {
    this.mediaType = mediaType;
    this.text = text;
  }
}

/**
 * A JSON object that is written in pieces, since to write it at once would block the event loop: a member that is an
 * iterable and no array is a list whose items are made one by one.
 */
export class RenderedPieces {
  readonly #body: Record<string, unknown>;

  constructor(body: Record<string, unknown>) {
    this.#body = body;
  }

  /** The text, an item of a list a piece. */
  *[Symbol.iterator](): Generator<string> {
    let before = '{';
    for (const [name, value] of Object.entries(this.#body)) {
      if (value === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      if (isLazy(value)) yield* listed(value);
      else yield JSON.stringify(value);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }
}

function isLazy(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value && !Array.isArray(value);
}

function* listed(items: Iterable<unknown>): Generator<string> {
  let before = '[';
  for (const item of items) {
    yield before + JSON.stringify(item);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/** Writes one stream. */
export interface StreamWriter {
  /** What an event adds; asked for with every event but `error`, in order. `verbatim` goes out as it came, and adds nothing. */
  add(event: GenerateEvent): string;
  /** What keeps the stream alive, where that must fit what was seen of it; `silentMs` is the time since its last event. */
  ping?(silentMs: number): string;
  /** The last events of a stream that fails, where they must fit what was seen of it. */
  fail?(error: GatewayError): string;
}

/** An error as a client of the endpoint's format reads it. */
export interface RenderedError {
  status: number;
  body: unknown;
  /** The time for which the client should wait before it tries again, for `retry-after`. */
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
  /** Its name among those of its format, where that has several for the operation. */
  variant?: string;
  /** The top-level fields of a body, or the fields of a form, that the endpoint reads. */
  fields: KnownFields;
  /** The secret of the client's token; where absent, that of `Authorization: Bearer`. */
  credential?(request: IncomingMessage): string | undefined;
  /** Checks the headers, before the body is read. @throws GatewayError of kind `invalid-request` */
  checkHeaders?(headers: IncomingHttpHeaders): void;
  /** The types of body that it takes; JSON alone where absent. */
  contentTypes?: readonly BodyType[];
  /** A header that holds the request's id, beside `x-request-id`. */
  requestIdHeader?: string;
  /** Looks up what a body refers to, before it is parsed. @throws GatewayError for what is not there */
  prepare?(
    body: Record<string, unknown>,
    asked: IncomingRequest,
    requestId: string,
  ): Promise<PreparedRequest>;
  /**
   * Checks the parsed body of a request; `text` is that body as it came, and `url` the raw path and query.
   * @throws GatewayError of kind `invalid-request` that names the field
   */
  parse(
    body: Record<string, unknown>,
    headers: IncomingHttpHeaders,
    text: Buffer,
    url: string,
  ): ParsedRequest | ParsedOperation | CountRequest;
  /** The same for a request that is a form; where absent, the endpoint takes none. */
  parseForm?(form: ReceivedForm, headers: IncomingHttpHeaders): ParsedOperation | Promise<ParsedOperation>;
  /** `request` is the one that failed, where the shape of an error depends on how it was asked. */
  renderError(error: GatewayError, requestId: string, request: IncomingMessage): RenderedError;
  /** The last bytes of a stream that fails after it began. */
  renderErrorEvent(error: GatewayError, requestId: string): string;
  /** What keeps a silent stream alive; empty where nothing may. */
  ping: string;
  /** The same once a part of the answer was written, where it differs. */
  pingWithin?: string;
}

/** The top-level fields of object schemas, which together are what an endpoint reads of a body. */
export function knownFields(...schemas: readonly { shape: Record<string, unknown> }[]): KnownFields {
  return new KnownFields(schemas.flatMap(({ shape }) => Object.keys(shape)));
}
