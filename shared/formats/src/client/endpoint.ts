import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  type BodyType,
  type ClientFormat,
  type FieldNames,
  type Form,
  type FormatFields,
  type FormFile,
  GatewayError,
  type GenerateAnswer,
  type GenerateEvent,
  type MediaPart,
  type OverloadReason,
  type Result,
  type Usage,
} from '@model-gateway/canonical';
import { KnownFields } from '@model-gateway/json';
import type { GatewayRequest, ParsedOperation } from './parsed-request.ts';

/** The gateway's own values in a rendered response. */
export interface RenderContext {
  requestId: string;
  /** Start of the response, in seconds since 1970. */
  created: number;
  /** Returns the current time in seconds since 1970, for formats that report when a response ended. */
  now?(): number;
}

/** Renders one response in the client's format. */
export type Renderer = AnswerRenderer | ResultRenderer | AudioRenderer | CountRenderer;

/** Renders an answer to generate. */
export interface AnswerRenderer {
  type: 'answer';
  /** Returns the body of a non-streamed response. */
  whole(answer: GenerateAnswer, context: RenderContext): unknown;
  stream(context: RenderContext): StreamWriter;
}

/** Renders the result of an operation that returns one object. */
export interface ResultRenderer<R extends Result = Result> {
  type: 'result';
  /** Returns a JSON body, {@link RenderedText} or {@link RenderedPieces}. */
  result(result: R, usage: Usage | null, context: RenderContext): unknown;
  /** Writes the result as a stream, if the client requested one. */
  stream?(context: RenderContext): StreamWriter;
}

/** Renders speech. Where the client asked for no stream, its bytes are sent as they are. */
export interface AudioRenderer {
  type: 'audio';
  /** Writes the audio as events. */
  stream(context: RenderContext): StreamWriter;
}

/** Renders a count of tokens. */
export interface CountRenderer {
  type: 'count';
  /** Returns the response body. */
  count(tokens: number): unknown;
}

/** A body that is not JSON. */
export class RenderedText {
  readonly mediaType: string;
  readonly text: string;

  constructor(mediaType: string, text: string) {
    this.mediaType = mediaType;
    this.text = text;
  }
}

/**
 * A JSON object that is serialized in pieces, so that it does not block the event loop: a member that is an iterable
 * but not an array is a list whose items are produced one by one.
 */
export class RenderedPieces {
  readonly #body: Record<string, unknown>;

  constructor(body: Record<string, unknown>) {
    this.#body = body;
  }

  /** Yields the text; each item of a list is a piece. */
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

/** Renders the events of one stream. */
export interface StreamWriter {
  /** Returns the text for an event. Called in order for all but `error`; `verbatim` events are sent unchanged. */
  add(event: GenerateEvent): string;
  /** Returns a keep-alive that depends on the stream so far; `silentMs` is the time since the last event. */
  ping?(silentMs: number): string;
  /** Returns the last events of a failed stream, if they depend on the stream so far. */
  fail?(error: GatewayError): string;
}

/** An error in the endpoint's format. */
export interface RenderedError {
  status: number;
  body: unknown;
  /** The reason of an overload, for `x-gateway-reason`. */
  reason?: OverloadReason;
  /** Time before the client should retry, in milliseconds, for `retry-after`. */
  retryAfterMs?: number;
  /** False if a retry is no use though the status says otherwise, for `x-should-retry`. */
  retry?: false;
}

/** One method and path of a wire format, with its parsers and renderers. `R`: what the renderer reads of a request. */
export interface FormatEndpoint<R = unknown> {
  method: 'POST';
  path: string;
  /** Matches the raw path if it contains a model's name; `path` then shows the position. */
  pattern?: RegExp;
  format: ClientFormat;
  /** Distinguishes endpoints of the same format and operation. */
  variant?: string;
  /** The top-level fields of a JSON body or the fields of a form that the endpoint reads. */
  fields: KnownFields;
  /** Returns the secret that clients of the format send elsewhere than in the usual headers; undefined if there is none. */
  secretOf?(request: IncomingMessage): string | undefined;
  /** Checks the headers, before the body is read. @throws GatewayError of kind `invalid-request` */
  checkHeaders?(headers: IncomingHttpHeaders): void;
  /** The accepted types of body; only JSON where absent. */
  contentTypes?: readonly BodyType[];
  /** A header for the request's id, in addition to `x-request-id`. */
  requestIdHeader?: string;
  /** Changes what upstreams of the format would refuse in a body, and returns its JSON text; `text` if nothing changes. */
  amend?(body: Record<string, unknown>, text: Buffer): Buffer;
  /**
   * Validates a request; `text` is the unparsed body, `url` the raw path and query.
   * @throws GatewayError of kind `invalid-request` that names the field
   */
  parse(
    body: Record<string, unknown>,
    headers: IncomingHttpHeaders,
    text: Buffer,
    url: string,
  ): GatewayRequest<R>;
  /** Validates a form; where absent, the endpoint accepts no forms. */
  parseForm?(
    form: ClientForm,
    headers: IncomingHttpHeaders,
  ): ParsedOperation<R> | Promise<ParsedOperation<R>>;
  /** Returns the renderer of the response; `rendering` is that of the parsed request. */
  render(rendering: R): Renderer;
  /** The format's names of canonical fields, for errors; those that are absent have the same name. */
  fieldNames?: FieldNames;
  /** Renders an error; `request` is the failed one, for formats whose errors depend on it. */
  renderError(error: GatewayError, requestId: string, request: IncomingMessage): RenderedError;
  /** Renders the last bytes of a stream that fails after it began. */
  renderErrorEvent(error: GatewayError, requestId: string): string;
  /** The keep-alive of a stream; empty if the format has none. */
  ping: string;
  /** The keep-alive after a part of the response was written, if it differs. */
  pingWithin?: string;
}

/** Returns the top-level fields of an endpoint's object schemas. */
export function knownFields(...schemas: readonly { shape: Record<string, unknown> }[]): KnownFields {
  return new KnownFields(schemas.flatMap(({ shape }) => Object.keys(shape)));
}

/** Fields of a request that have canonical ones: of those with members, only these. */
export type TranslatedFields = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the fields of a table, and `more` that the parser reads; a name such as `metadata.user_id` is a member. */
export function translatedFields({ paths }: FormatFields, ...more: string[]): TranslatedFields {
  const fields = new Map<string, Set<string>>();
  for (const name of [...Object.keys(paths), ...more]) {
    const [field = name, member] = name.split('.');
    const members = fields.get(field) ?? new Set();
    fields.set(field, member === undefined ? members : members.add(member));
  }
  return fields;
}

/** A form that a client sent. */
export interface ClientForm extends Pick<Form, 'fields'> {
  readonly files: readonly FormFile[];
  /** Returns the last value of a field; undefined if it is absent or empty. */
  field(name: string): string | undefined;
  /** Returns the files of a field that may have several names. */
  filesOf(...names: string[]): FormFile[];
  /** Reads a file into memory. @throws GatewayError `too-large` if all files read exceed the limit */
  read(file: FormFile): Promise<Buffer>;
  /** Reads the first bytes of a file, at most `length`. */
  begin(file: FormFile, length: number): Promise<Buffer>;
}

/** @throws GatewayError for a file in a field that `takes` refuses; `names` are the fields that take files */
export function refuseMisplaced(
  { files }: Pick<ClientForm, 'files'>,
  takes: (name: string) => boolean,
  names: readonly string[],
): void {
  const stray = files.find(({ name }) => !takes(name));
  if (!stray) return;
  const places = names.map(name => `'${name}'`).join(', ');
  const message = `Invalid '${stray.name}': this field takes no file. Fields that take files: ${places}.`;
  throw new GatewayError('invalid-request', message, { param: stray.name, code: 'unknown_parameter' });
}

/** The parser of an endpoint that accepts only forms. */
export function parseNone(): never {
  const message = 'Unsupported content type: this endpoint takes a form.';
  throw new GatewayError('invalid-request', message, { code: 'unsupported_content_type' });
}

/** Parts of an answer that are written one after another, in the order of their indexes, in which they begin. */
export class PartQueue<Part> {
  readonly #parts = new Map<number, Part>();
  /** No part before it is left. A map is slow to find its first entry behind many that were deleted. */
  #at = 0;
  #next = 0;

  add(index: number, part: Part): void {
    this.#parts.set(index, part);
    this.#at = Math.min(this.#at, index);
    this.#next = Math.max(this.#next, index + 1);
  }

  get(index: number): Part | undefined {
    return this.#parts.get(index);
  }

  /** The part that is written now. */
  get first(): Part | undefined {
    while (this.#at < this.#next && !this.#parts.has(this.#at)) this.#at++;
    return this.#parts.get(this.#at);
  }

  removeFirst(): void {
    this.#parts.delete(this.#at);
  }

  all(): Iterable<Part> {
    return this.#parts.values();
  }
}

/** Renders media as a Markdown link, for a format whose responses have no media. */
export function mediaMarkdown({ kind, source, mediaType, name }: MediaPart): string {
  switch (source.type) {
    case 'text':
      return source.text;
    case 'file':
      return `[${name ?? kind}: ${source.id}]`;
    case 'url':
    case 'base64': {
      const url = source.type === 'url' ? source.url : `data:${mediaType ?? ''};base64,${source.data}`;
      return `${kind === 'image' ? '!' : ''}[${name ?? kind}](${url})`;
    }
  }
}
