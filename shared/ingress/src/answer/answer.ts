import {
  AnswerFold,
  type AudioEvent,
  fromErrorEvent,
  GatewayError,
  type GenerateEvent,
  type Result,
  toGatewayError,
  type VerbatimEvent,
} from '@model-gateway/canonical';
import {
  type Framing,
  type RenderContext,
  type RenderedError,
  RenderedPieces,
  RenderedText,
  type Renderer,
  type StreamWriter,
} from '@model-gateway/formats/client';
import { isLargeJson } from '@model-gateway/json';
import type { HeldAnswer } from '../memory/budgets.ts';
import type { Endpoint } from './endpoint.ts';
import {
  BodyWriter,
  ClientProgress,
  Drain,
  type OpenAnswers,
  type OpenBody,
  type ResponseSink,
  sendError,
  writeLargeJson,
  writePieces,
} from './response-sink.ts';

/** Time without output after which a stream sends a keep-alive, in milliseconds. */
export const streamPingMs = 10_000;

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
  readonly #progress: ClientProgress;
  /** True if the last write ended inside an event: nothing may be inserted. */
  #partial = false;
  /** True once a whole body was received in one piece: it is written with the end of the response, which follows. */
  #isWhole = false;
  #over = false;
  /** True while a non-streamed response is written in pieces, which end the response themselves. */
  #inPieces = false;
  readonly #drain = new Drain();
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
    this.#progress = new ClientProgress(now);
    this.#created = Math.floor(now / 1000);
    const place = options.open.add(this);
    response.on('drain', () => options.open.faults.run('answer', () => this.#drained()));
    response.on('close', () => options.open.faults.run('answer', () => this.#closed(place)));
  }

  /** True once anything but a keep-alive was written, after which no failover is possible. */
  get begun(): boolean {
    return this.#begun;
  }

  hold(bytes: number): void {
    this.#options.held?.hold(bytes);
  }

  /** Writes a batch of events; `weight` is returned as credit once the client has taken them. @throws GatewayError as {@link hold} */
  write(events: readonly GenerateEvent[], weight: number): void {
    this.#lastEvent = this.#now();
    this.#options.held?.add(events, weight);
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

  /** Closes the connection of an answer whose error cannot be written. */
  abandon(): void {
    this.#over = true;
    this.#drain.resolve();
    this.#response.destroy();
  }

  #closed(place: number): void {
    this.#options.open.remove(place, this);
    this.#options.held?.release();
    if (!this.#over) this.#end(new GatewayError('cancelled', 'The client left.'));
  }

  /** Sends a keep-alive if one is due, and closes the connection of a stuck client. */
  check(now: number): void {
    const waiting = this.#response.writableLength;
    if (this.#progress.isStuck(waiting, now)) this.#response.destroy();
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
    if (body instanceof RenderedPieces) return void this.#writeLarge(open => writePieces(open, body));
    if (!(body instanceof RenderedText) && isLargeJson(body))
      return void this.#writeLarge(open => writeLargeJson(open, body));
    const { mediaType, text } =
      body instanceof RenderedText ? body : { mediaType: 'application/json', text: JSON.stringify(body) };
    this.#response.writeHead(200, { 'content-type': mediaType, 'content-length': Buffer.byteLength(text) });
    this.#body.write(text);
  }

  /** Writes a large body by `write`, then ends the response. */
  async #writeLarge(write: (body: OpenBody) => Promise<boolean>): Promise<void> {
    this.#inPieces = true;
    try {
      if (
        !(await write({
          response: this.#response,
          drained: () => this.#drain.wait(),
          hold: bytes => this.hold(bytes),
          isOver: () => this.#over,
        }))
      )
        return;
      this.#close('');
      this.#end();
    } catch (thrown) {
      this.#options.open.faults.report('answer', thrown);
      this.fail(toGatewayError(thrown));
    }
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
    this.#drain.resolve();
    if (!this.#over && this.#unread > 0) this.#options.consumed(this.#unread);
    this.#unread = 0;
  }

  #end(error?: GatewayError): void {
    this.#over = true;
    this.#drain.resolve();
    this.#options.ended(error);
  }
}

/** The form of a response to a client, and the functions that it calls. */
export interface AnswerOptions {
  /** Checks the response for keep-alives and for a stuck client until it is closed. */
  open: OpenAnswers;
  endpoint: Endpoint;
  /** Returns the renderer of the response. */
  renderer(): Renderer;
  framing?: (() => Framing) | undefined;
  requestId: string;
  stream: boolean;
  /** Reserves what is held of a whole answer; absent for a stream. */
  held?: HeldAnswer | undefined;
  /** The request, which renders an error in the client's format. */
  source: { renderError(error: GatewayError): RenderedError };
  /** Returns credit for events that the client took. */
  consumed(weight: number): void;
  /** Called when the response has ended; `error` if it failed or the client closed the connection. */
  ended(error?: GatewayError): void;
}

/** Collects the events of a non-streamed response. */
export class WholeAnswer {
  readonly #render: Renderer;
  readonly #context: RenderContext;
  readonly #fold = new AnswerFold();
  #result: Result | undefined;

  constructor(render: Renderer, context: RenderContext) {
    this.#render = render;
    this.#context = context;
  }

  /** Returns the body once the last event was added. */
  add(event: GenerateEvent): unknown {
    const render = this.#render;
    switch (render.type) {
      case 'answer': {
        const answer = this.#fold.add(event);
        return answer && render.whole(answer, this.#context);
      }
      case 'result':
        if (event.type === 'result') this.#result = event.result;
        if (event.type !== 'finish' || !this.#result) return undefined;
        return render.result(this.#result, event.usage, this.#context);
      case 'count':
        return event.type === 'finish' ? render.count(event.usage?.input ?? 0) : undefined;
      // Its bytes are sent as they arrive.
      case 'audio':
        return undefined;
    }
  }
}
