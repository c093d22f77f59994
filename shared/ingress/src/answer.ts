import {
  type AudioEvent,
  fromErrorEvent,
  GatewayError,
  type GenerateEvent,
  toGatewayError,
  type VerbatimEvent,
} from '@model-gateway/canonical';
import { isLargeJson } from '@model-gateway/json';
import {
  type Endpoint,
  type RenderContext,
  type RenderedError,
  RenderedPieces,
  RenderedText,
  type Renderer,
  type StreamWriter,
} from './endpoint.ts';
import type { Framing } from './gateway-request.ts';
import type { OpenAnswers } from './in-flight.ts';
import { BodyWriter, type ResponseSink } from './response-sink.ts';
import { WholeAnswer } from './whole-answer.ts';
import { type OpenBody, sendError, writeLargeJson, writePieces } from './write-body.ts';

/** Time without output after which a stream sends a keep-alive, in milliseconds. */
export const streamPingMs = 10_000;
/** Time without any byte received by the client after which its connection is closed, in milliseconds. */
export const clientStuckMs = 300_000;

export interface AnswerOptions {
  /** Checks the response for keep-alives and for a stuck client until it is closed. */
  open: OpenAnswers;
  endpoint: Endpoint;
  /** Returns the renderer of the response. */
  renderer(): Renderer;
  framing?: (() => Framing) | undefined;
  requestId: string;
  stream: boolean;
  /** The request, which renders an error in the client's format. */
  source: { renderError(error: GatewayError): RenderedError };
  /** Returns credit for events that the client took. */
  consumed(weight: number): void;
  /** Called when the response has ended; `error` if it failed or the client closed the connection. */
  ended(error?: GatewayError): void;
}

/** Writes the events of a response to a client, as one body or as a stream. */
export class Answer {
  readonly #response: ResponseSink;
  readonly #body: BodyWriter;
  readonly #options: AnswerOptions;
  /** Weight of the events in the client's socket buffer. */
  #unread = 0;
  #lastWrite: number;
  /** Time of the last event, in milliseconds since 1970. */
  #lastEvent: number;
  /** Unsent bytes at the last check, and the time at which the client last took some. */
  #waiting = 0;
  #lastTaken: number;
  /** True if the last write ended inside an event: nothing may be inserted. */
  #partial = false;
  /** True once a whole body was received in one piece: it is written with the end of the response, which follows. */
  #isWhole = false;
  #over = false;
  /** True while a non-streamed response is written in pieces, which end the response themselves. */
  #inPieces = false;
  #drain: PromiseWithResolvers<void> | undefined;
  #verbatimSeen = false;
  #begun = false;
  readonly #created: number;
  #whole: WholeAnswer | undefined;
  #framing: Framing | undefined;
  #renderer: Renderer | undefined;
  #writer: StreamWriter | undefined;
  /** The rendered text of a batch of events, for one write. */
  #rendered = '';

  constructor(response: ResponseSink, options: AnswerOptions) {
    this.#response = response;
    this.#body = new BodyWriter(response);
    this.#options = options;
    const now = this.#now();
    this.#lastWrite = now;
    this.#lastEvent = now;
    this.#lastTaken = now;
    this.#created = Math.floor(now / 1000);
    const place = options.open.add(this);
    response.on('drain', () => this.#drained());
    response.on('close', () => {
      options.open.remove(place, this);
      if (!this.#over) this.#end(new GatewayError('cancelled', 'The client left.'));
    });
  }

  /** True once anything but a keep-alive was written, after which no failover is possible. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Writes a batch of events; `weight` is returned as credit once the client has taken them. */
  write(events: readonly GenerateEvent[], weight: number): void {
    this.#lastEvent = this.#now();
    for (const event of events) this.#event(event);
    if (this.#over) return;
    if (!this.#isWhole) this.#flush();
    if (this.#response.writableNeedDrain) this.#unread += weight;
    else this.#options.consumed(weight);
  }

  #event(event: GenerateEvent): void {
    if (this.#over) return;
    switch (event.type) {
      case 'verbatim':
        return this.#verbatim(event);
      case 'audio':
        return this.#audio(event);
      case 'finish':
        if (!this.#verbatimSeen) this.#translated(event);
        if (this.#over || this.#inPieces) return;
        this.#putRendered();
        this.#close('');
        return this.#end();
      case 'error':
        return this.fail(fromErrorEvent(event, this.#options.endpoint.fieldNames));
      case 'start':
      case 'part-start':
      case 'part-delta':
      case 'part-end':
      case 'choice-end':
      case 'result':
        return this.#translated(event);
    }
  }

  /** Ends the response with an error, as far as the bytes already sent allow. */
  fail(error: GatewayError): void {
    if (this.#over) return;
    const { endpoint, requestId, stream } = this.#options;
    this.#flush();
    if (!this.#response.headersSent) sendError(this.#response, this.#options.source.renderError(error));
    else if (stream && !this.#partial)
      this.#close(this.#streamWriter()?.fail?.(error) ?? endpoint.renderErrorEvent(error, requestId));
    // Inside a body or an event, an error can only be signalled by closing the connection.
    else this.#response.destroy();
    this.#end(error);
  }

  /** Sends a keep-alive if one is due, and closes the connection of a stuck client. */
  check(now: number): void {
    const waiting = this.#response.writableLength;
    if (waiting === 0 || waiting !== this.#waiting) this.#lastTaken = now;
    this.#waiting = waiting;
    if (now - this.#lastTaken > clientStuckMs) this.#response.destroy();
    else if (!this.#over && waiting === 0 && now - this.#lastWrite >= streamPingMs) this.#ping(now);
  }

  #ping(now: number): void {
    const { ping, pingWithin = ping } = this.#options.endpoint;
    if (!this.#options.stream || this.#partial || ping === '') return;
    this.#startStream();
    this.#put(this.#streamWriter()?.ping?.(now - this.#lastEvent) ?? (this.#begun ? pingWithin : ping));
    this.#flush();
  }

  #verbatim(event: VerbatimEvent): void {
    const { bytes, whole, partial = false } = event;
    this.#begun = true;
    this.#partial = partial;
    this.#isWhole = whole?.length === bytes.length;
    if (whole)
      this.#response.writeHead(whole.status, {
        'content-type': whole.mediaType,
        ...(whole.length !== undefined && { 'content-length': whole.length }),
      });
    else if (this.#options.stream) {
      this.#startStream();
      this.#streamWriter()?.add(event);
    }
    this.#verbatimSeen = true;
    this.#put(bytes);
  }

  /** Renders audio into the stream, or writes its bytes. */
  #audio(event: AudioEvent): void {
    if (this.#options.stream) return this.#translated(event);
    const { bytes, mediaType } = event;
    this.#verbatim({ type: 'verbatim', bytes, ...(mediaType && { whole: { status: 200, mediaType } }) });
  }

  /** Renders an event into the stream, or adds it to the non-streamed response. */
  #translated(event: GenerateEvent): void {
    if (this.#options.stream) {
      this.#begun = true;
      this.#rendered += this.#streamWriter()?.add(event) ?? '';
      return;
    }
    this.#whole ??= new WholeAnswer(this.#render, this.#context());
    const body = this.#whole.add(event);
    if (body === undefined) return;
    this.#begun = true;
    if (body instanceof RenderedPieces) return this.#startLarge(open => writePieces(open, body));
    if (!(body instanceof RenderedText) && isLargeJson(body))
      return this.#startLarge(open => writeLargeJson(open, body));
    const { mediaType, text } =
      body instanceof RenderedText ? body : { mediaType: 'application/json', text: JSON.stringify(body) };
    this.#response.writeHead(200, { 'content-type': mediaType, 'content-length': Buffer.byteLength(text) });
    this.#body.write(text);
  }

  #startLarge(write: (body: OpenBody) => Promise<boolean>): void {
    this.#writeLarge(write).catch(error => this.fail(toGatewayError(error)));
  }

  /** Writes a large body by `write`, then ends the response. */
  async #writeLarge(write: (body: OpenBody) => Promise<boolean>): Promise<void> {
    this.#inPieces = true;
    const drained = () => {
      this.#drain ??= Promise.withResolvers();
      return this.#drain.promise;
    };
    if (!(await write({ response: this.#response, drained, isOver: () => this.#over }))) return;
    this.#close('');
    this.#end();
  }

  get #render(): Renderer {
    this.#renderer ??= this.#options.renderer();
    return this.#renderer;
  }

  #streamWriter(): StreamWriter | undefined {
    const render = this.#render;
    if (render.type !== 'count') this.#writer ??= render.stream?.(this.#context());
    return this.#writer;
  }

  #context(): RenderContext {
    const { requestId, open } = this.#options;
    return { requestId, created: this.#created, now: open.seconds };
  }

  #now(): number {
    return this.#options.open.clock.now();
  }

  #flush(): void {
    this.#putRendered();
    this.#body.flush();
  }

  #putRendered(): void {
    if (this.#rendered === '') return;
    this.#startStream();
    this.#put(this.#rendered);
    this.#rendered = '';
  }

  #put(data: string | Uint8Array): void {
    this.#lastWrite = this.#now();
    this.#body.write(this.#framing ? this.#framing.write(data) : data);
  }

  /** Ends the response after `last`. */
  #close(last: string): void {
    this.#body.write(this.#framing ? this.#framing.write(last) + this.#framing.end() : last);
    this.#body.end();
  }

  #startStream(): void {
    if (this.#response.headersSent) return;
    this.#framing = this.#options.framing?.();
    this.#response.writeHead(200, {
      'content-type': this.#framing?.mediaType ?? 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
  }

  #drained(): void {
    this.#drain?.resolve();
    this.#drain = undefined;
    if (!this.#over && this.#unread > 0) this.#options.consumed(this.#unread);
    this.#unread = 0;
  }

  #end(error?: GatewayError): void {
    this.#over = true;
    this.#drain?.resolve();
    this.#options.ended(error);
  }
}
