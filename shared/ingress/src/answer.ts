import {
  AnswerFold,
  fromErrorEvent,
  GatewayError,
  type GenerateEvent,
  isLargeJson,
  type Result,
  toGatewayError,
  type VerbatimEvent,
  writeInSteps,
} from '@model-gateway/canonical';
import { nextTurn } from '@model-gateway/service';
import {
  type AnswerRenderer,
  type Endpoint,
  type Framing,
  type RenderContext,
  type RenderedError,
  RenderedPieces,
  RenderedText,
  type ResultRenderer,
  type StreamWriter,
} from './endpoint.ts';
import type { ResponseSink } from './response-sink.ts';

/** The longest that a stream may be silent before the client is shown that it lives, in milliseconds. */
export const streamPingMs = 10_000;
/** The characters of an answer in pieces that are written at once. */
const pieceCharacters = 256 * 1024;
/** The longest that a client may take nothing of what waits for it before it is cut off, in milliseconds. */
export const clientStuckMs = 300_000;

/** The answers that are being written; looked at each second for silence and for clients that take nothing. */
const open = new Set<Answer>();
setInterval(() => {
  const now = Date.now();
  for (const answer of open) answer.check(now);
}, 1_000).unref();

/** Ends every answer that is still being written in an error: the process is about to go. */
export function failOpenAnswers(error: GatewayError): void {
  for (const answer of open) answer.fail(error);
}

export interface AnswerOptions {
  endpoint: Endpoint;
  /** Absent where no target speaks another format. */
  render?: AnswerRenderer | ResultRenderer | undefined;
  framing?: (() => Framing) | undefined;
  requestId: string;
  stream: boolean;
  /** An error as this client reads it. */
  renderError(error: GatewayError): RenderedError;
  /** The client took events of this weight. */
  consumed(weight: number): void;
  /** The answer is over; `error` if it failed, or if the client left. */
  ended(error?: GatewayError): void;
}

/** Writes an answer's events to a client, whole or as a stream of server-sent events. */
export class Answer {
  readonly #response: ResponseSink;
  readonly #options: AnswerOptions;
  /** Weight of events that the client's socket has not taken. */
  #unread = 0;
  #lastWrite = Date.now();
  /** When the last event came. */
  #lastEvent = Date.now();
  /** Bytes that waited for the client at the last look, and when it last took some. */
  #waiting = 0;
  #lastTaken = Date.now();
  /** The last write ended inside an event: nothing may come between. */
  #partial = false;
  #over = false;
  /** Set while a whole answer is written in pieces, which end by themselves. */
  #inPieces = false;
  #drain: PromiseWithResolvers<void> | undefined;
  #verbatimSeen = false;
  readonly #created = Math.floor(Date.now() / 1000);
  readonly #fold = new AnswerFold();
  #result: Result | undefined;
  #framing: Framing | undefined;
  #writer: StreamWriter | undefined;
  /** What the events that came together add to a stream: one write for all of them. */
  #rendered = '';

  constructor(response: ResponseSink, options: AnswerOptions) {
    this.#response = response;
    this.#options = options;
    response.on('drain', () => this.#drained());
    response.on('close', () => {
      open.delete(this);
      if (!this.#over) this.#end(new GatewayError('cancelled', 'The client left.'));
    });
    open.add(this);
  }

  /** Whether anything was written that another answer could not follow. A ping is not. */
  #begun = false;
  get begun(): boolean {
    return this.#begun;
  }

  /** Writes events that came together; `weight` is given back once the client has taken them. */
  write(events: readonly GenerateEvent[], weight: number): void {
    this.#lastEvent = Date.now();
    for (const event of events) this.#event(event);
    if (this.#over) return;
    this.#flush();
    if (this.#response.writableNeedDrain) this.#unread += weight;
    else this.#options.consumed(weight);
  }

  #event(event: GenerateEvent): void {
    if (this.#over) return;
    switch (event.type) {
      case 'verbatim':
        return this.#verbatim(event);
      case 'finish':
        if (!this.#verbatimSeen) this.#translated(event);
        if (this.#over || this.#inPieces) return;
        this.#flush();
        this.#close('');
        return this.#end();
      case 'start':
      case 'part-start':
      case 'part-delta':
      case 'part-end':
      case 'choice-end':
      case 'result':
        return this.#translated(event);
      case 'error':
        return this.fail(fromErrorEvent(event));
    }
  }

  /** Ends in an error, as far as what was already written allows. */
  fail(error: GatewayError): void {
    if (this.#over) return;
    const { endpoint, requestId, stream } = this.#options;
    this.#flush();
    if (!this.#response.headersSent) sendError(this.#response, this.#options.renderError(error));
    else if (stream && !this.#partial)
      this.#close(this.#streamWriter()?.fail?.(error) ?? endpoint.renderErrorEvent(error, requestId));
    // In the middle of a whole answer or of an event, only a broken connection tells the client.
    else this.#response.destroy();
    this.#end(error);
  }

  /** Looks for silence and for a client that takes nothing. */
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
  }

  #verbatim(event: VerbatimEvent): void {
    const { bytes, whole, partial = false } = event;
    this.#begun = true;
    this.#partial = partial;
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

  /** Writes what an event adds to a stream, or adds it to the whole answer. */
  #translated(event: GenerateEvent): void {
    this.#begun = true;
    const { render, stream } = this.#options;
    if (!render) return this.fail(new GatewayError('internal', 'The answer is not in its format.'));
    if (stream) {
      this.#rendered += this.#streamWriter()?.add(event) ?? '';
      return;
    }
    const body = 'result' in render ? this.#ofResult(event, render) : this.#ofParts(event, render);
    if (body === undefined) return;
    if (body instanceof RenderedPieces)
      return void this.#writePieces(body).catch(error => this.fail(toGatewayError(error)));
    if (!(body instanceof RenderedText) && isLargeJson(body))
      return void this.#writeLarge(body).catch(error => this.fail(toGatewayError(error)));
    const { mediaType, text } =
      body instanceof RenderedText ? body : { mediaType: 'application/json', text: JSON.stringify(body) };
    this.#response.writeHead(200, { 'content-type': mediaType, 'content-length': Buffer.byteLength(text) });
    this.#response.write(text);
  }

  /** Writes a whole answer piece by piece, as the client takes it, and ends it. */
  async #writePieces(pieces: Iterable<string>): Promise<void> {
    this.#inPieces = true;
    this.#response.writeHead(200, { 'content-type': 'application/json' });
    let text = '';
    for (const piece of pieces) {
      text += piece;
      if (text.length < pieceCharacters) continue;
      this.#response.write(text);
      text = '';
      if (this.#response.writableNeedDrain) await this.#untilDrained();
      // A client that takes all at once lets nobody else have a turn.
      await nextTurn();
      if (this.#over) return;
    }
    this.#close(text);
    this.#end();
  }

  /** Writes a large whole answer in steps, and ends it. */
  async #writeLarge(body: unknown): Promise<void> {
    this.#inPieces = true;
    const pieces = await writeInSteps(body, nextTurn);
    if (this.#over) return;
    const length = pieces.reduce((sum, { length }) => sum + length, 0);
    this.#response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
    for (const piece of pieces) {
      this.#response.write(piece);
      if (this.#response.writableNeedDrain) await this.#untilDrained();
      await nextTurn();
      if (this.#over) return;
    }
    this.#close('');
    this.#end();
  }

  /** Resolves when the client has taken what waits for it, or is gone. */
  #untilDrained(): Promise<void> {
    this.#drain ??= Promise.withResolvers();
    return this.#drain.promise;
  }

  /** The body, once the event is the last one. */
  #ofParts(event: GenerateEvent, render: AnswerRenderer): unknown {
    const answer = this.#fold.add(event);
    return answer && render.whole(answer, this.#context());
  }

  #ofResult(event: GenerateEvent, render: ResultRenderer): unknown {
    if (event.type === 'result') this.#result = event.result;
    if (event.type !== 'finish' || !this.#result) return undefined;
    return render.result(this.#result, event.usage, this.#context());
  }

  #streamWriter(): StreamWriter | undefined {
    this.#writer ??= this.#options.render?.stream?.(this.#context());
    return this.#writer;
  }

  #context(): RenderContext {
    const now = () => Math.floor(Date.now() / 1000);
    return { requestId: this.#options.requestId, created: this.#created, now };
  }

  #flush(): void {
    if (this.#rendered === '') return;
    this.#startStream();
    this.#put(this.#rendered);
    this.#rendered = '';
  }

  #put(data: string | Uint8Array): void {
    this.#lastWrite = Date.now();
    const framed = this.#framing ? this.#framing.write(data) : data;
    if (framed.length > 0) this.#response.write(framed);
  }

  /** Ends the response after `last`. */
  #close(last: string): void {
    const framed = this.#framing ? this.#framing.write(last) + this.#framing.end() : last;
    this.#response.end(framed);
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
    const taken = this.#unread;
    this.#unread = 0;
    if (!this.#over && taken > 0) this.#options.consumed(taken);
  }

  #end(error?: GatewayError): void {
    this.#over = true;
    this.#drain?.resolve();
    this.#options.ended(error);
  }
}

/** Answers with an error. */
export function sendError(response: ResponseSink, { status, body, retryAfterMs }: RenderedError): void {
  if (retryAfterMs !== undefined)
    response.setHeader('retry-after', Math.max(1, Math.ceil(retryAfterMs / 1000)));
  // What still comes of a body that came too slowly is not waited for.
  if (status === 408) response.setHeader('connection', 'close');
  sendJson(response, status, body);
}

export function sendJson(response: ResponseSink, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
