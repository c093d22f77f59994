import { Readable } from 'node:stream';
import type { ServedCall, UsageWriter } from '@model-gateway/bus';
import {
  asNotRepresentable,
  type ErrorKind,
  type FinishEvent,
  fromErrorEvent,
  GatewayError,
  type GenerateEvent,
  type OperationRequest,
  type Timeouts,
  toErrorEvent,
  toGatewayError,
  type Usage,
} from '@model-gateway/canonical';
import { nextTurn, stepBytes } from '@model-gateway/service';
import { Pieces } from '@model-gateway/sse';
import type { Dispatcher } from 'undici';
import { AttemptRecord } from './attempt-record.ts';
import { type DecodeTask, decodeTask } from './decode-task.ts';
import { type Decoded, type Decoding, maxEvents } from './decoding.ts';
import { inClientTerms } from './dialects/client-terms.ts';
import type { Decoder, EncodeInput, UpstreamRequest } from './dialects/dialect.ts';
import { JsonBody } from './dialects/json-body.ts';
import { WholeBody } from './dialects/whole-body.ts';
import { atLeast, guessUsed, type Used } from './estimate.ts';
import { InOrder, joinDeltas } from './join-deltas.ts';
import { type Redacted, redactError } from './redact.ts';
import { isLargeLast, type SendsLast, sendLast } from './send-last.ts';
import { hasLarge, isLargeRun, splitLarge } from './split-large.ts';
import { splitUrl, type Upstream } from './upstreams.ts';

/** The largest whole answer, in bytes. */
export const maxWhole = 64 * 1024 * 1024;
/** The most bytes of an error body that are read. */
export const maxFailure = 64 * 1024;
/** Time for a response to end after its answer is complete. */
const lingerMs = 2_000;
/** Time to wait for the end marker, such as `[DONE]`, of an answer that is complete without it. */
const endMarkMs = 2_000;

export interface AttemptOptions {
  call: Pick<ServedCall, 'envelope' | 'signal' | 'send' | 'drained' | 'announce'> & SendsLast;
  upstream: Upstream;
  input: EncodeInput<OperationRequest>;
  timeouts: Timeouts;
  usage: Pick<UsageWriter, 'add'>;
  /** Decodes large whole answers in a thread; if absent, they are decoded in place. */
  decoding?: Pick<Decoding, 'decode'> | undefined;
  /** True if the request is so large that its body is written in steps. */
  large?: boolean;
}

/**
 * Sends a request to one upstream and passes its answer on.
 * Resolves to an error if nothing was sent to the client, so that another upstream can be tried.
 */
export function attempt(dispatcher: Dispatcher, options: AttemptOptions): Promise<GatewayError | undefined> {
  return new Promise(resolve => new Attempt(options, resolve).start(dispatcher));
}

/** A body that is collected before it is decoded: a whole answer in place of a stream, or an error. */
interface Body {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  pieces: Pieces;
}

class Attempt implements Dispatcher.DispatchHandler {
  readonly #options: AttemptOptions;
  readonly #resolve: (error?: GatewayError) => void;
  readonly #total: NodeJS.Timeout;
  #idleTimer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #decoder: Decoder | undefined;
  #record: AttemptRecord | undefined;
  /** Set when the request is sent. */
  #secrets: Redacted | undefined;
  #body: Body | undefined;
  #response: DecodeTask['response'];
  #size = 0;
  /** Events held back, since another upstream can be tried if they end in an error: see {@link #isReady}. */
  #held: GenerateEvent[] = [];
  #sentAny = false;
  #over = false;
  /** Postpones what the upstream sends while a part of the answer is decoded or sent in steps. */
  readonly #order = new InOrder();
  /** Number of reasons for which reading from the upstream is paused. */
  #pauses = 0;

  constructor(options: AttemptOptions, resolve: (error?: GatewayError) => void) {
    this.#options = options;
    this.#resolve = resolve;
    const { total } = options.timeouts;
    this.#total = setTimeout(
      () => this.#timeOut('The upstream did not finish within the total timeout'),
      total,
    );
  }

  /**
   * True if the upstream is asked to stream. A verbatim request follows the client; a translated generate
   * request always streams; other operations never do.
   */
  get #stream(): boolean {
    const { stream, operation } = this.#options.call.envelope;
    return this.#options.input.request ? operation === 'generate' : stream;
  }

  /** True if the answer is sent to the client as it arrives. */
  get #streamsOn(): boolean {
    const { stream, bytes = false } = this.#options.call.envelope;
    return (stream && this.#stream) || bytes;
  }

  /** Starts the first-token timeout. An answer that is not streamed has only the total timeout. */
  #awaitFirst(): void {
    if (this.#over || !(this.#stream || this.#streamsOn)) return;
    const { firstToken } = this.#options.timeouts;
    this.#idleTimer = setTimeout(
      () => this.#timeOut('The upstream sent no token within the first-token timeout'),
      firstToken,
    );
  }

  /** Yields the body, and starts the first-token timeout once it is sent. */
  async *#sent(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    yield* pieces;
    if (!this.#decoder && !this.#body) this.#awaitFirst();
  }

  start(dispatcher: Dispatcher): void {
    this.#options.call.signal.addEventListener('abort', this.#cancelled);
    try {
      const { body, ...request } = this.#encode();
      if (!(body instanceof JsonBody)) return this.#dispatch(dispatcher, request, body);
      if (!this.#options.large) return this.#dispatch(dispatcher, request, body.bytes());
      const { id } = this.#options.call.envelope.token;
      body
        .bytesInSteps(() => nextTurn(undefined, id))
        .then(bytes => this.#over || this.#dispatch(dispatcher, request, bytes))
        .catch(thrown => this.#fail(toGatewayError(thrown)));
    } catch (thrown) {
      this.#fail(toGatewayError(thrown));
    }
  }

  #dispatch(
    dispatcher: Dispatcher,
    { path, headers: requestHeaders }: Omit<UpstreamRequest, 'body'>,
    body: Buffer | AsyncIterable<Uint8Array>,
  ): void {
    const { upstream, input } = this.#options;
    const { dialect, connection } = upstream;
    const headers = {
      'content-type': 'application/json',
      accept: this.#stream ? streamTypes(dialect)[0] : this.#streamsOn ? '*/*' : 'application/json',
      'user-agent': 'model-gateway',
      ...requestHeaders,
      ...upstream.headers,
    };
    const url = connection.url(path, input.model);
    const text = Buffer.isBuffer(body) ? body : undefined;
    const signed = connection.sign({ method: 'POST', url, headers, body: text });
    const send = (signature: Record<string, string>) =>
      this.#over || this.#send(dispatcher, url, headers, signature, body);
    if (signed instanceof Promise) signed.then(send).catch(thrown => this.#fail(toGatewayError(thrown)));
    else send(signed);
  }

  #send(
    dispatcher: Dispatcher,
    url: string,
    unsigned: Record<string, string>,
    signature: Record<string, string>,
    body: Buffer | AsyncIterable<Uint8Array>,
  ): void {
    const configured = this.#options.upstream.headers;
    const { origin, path } = splitUrl(url);
    this.#secrets = { origin, headers: { ...signature, ...configured } };
    const sent = Buffer.isBuffer(body) ? body : Readable.from(this.#sent(body), { objectMode: false });
    this.#announce();
    if (Buffer.isBuffer(sent)) this.#awaitFirst();
    const headers = { ...unsigned, ...this.#secrets.headers };
    dispatcher.dispatch({ origin, path, method: 'POST', headers, body: sent }, this);
  }

  /** Announces the attempt before it is sent: the upstream may charge for it even if this process dies. */
  #announce(): void {
    const { call, upstream, input, usage } = this.#options;
    const { provider } = upstream;
    this.#record = new AttemptRecord(usage, { envelope: call.envelope, provider, model: input.model });
    call.announce(this.#record.announcement);
  }

  /** @throws GatewayError that lets another target be tried if this upstream's format cannot carry it */
  #encode(): UpstreamRequest {
    const { call, upstream, input } = this.#options;
    try {
      return upstream.dialect.encode(input);
    } catch (thrown) {
      throw asNotRepresentable(inClientTerms(toGatewayError(thrown), call.envelope.format));
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Error('cancelled'));
  }

  onResponseStart(
    _controller: unknown,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    const { dialect } = this.#options.upstream;
    const { input } = this.#options;
    const mediaType = String(headers['content-type'] ?? '');
    if (status >= 300) this.#body = { status, headers, pieces: new Pieces() };
    else if (!this.#stream) {
      this.#response = { mediaType, length: lengthIn(headers) };
      this.#decoder = dialect.decodeWhole(input, mediaType, lengthIn(headers));
    } else if (streamTypes(dialect).some(type => mediaType.includes(type)))
      this.#decoder = dialect.decodeStream(input);
    // Some upstreams answer a streaming request with a whole body, or with an error of status 200.
    else this.#body = { status, headers, pieces: new Pieces() };
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#order.run(() => this.#data(chunk));
  }

  onResponseEnd(): void {
    this.#order.run(() => this.#responseEnd());
  }

  onResponseError(_controller: unknown, cause: Error): void {
    this.#order.run(() => this.#responseError(cause));
  }

  #data(chunk: Buffer): void {
    if (this.#over) return;
    this.#size += chunk.length;
    const whole = this.#body ? this.#body.status < 300 : !this.#streamsOn;
    // A stream that is passed on as a whole answer is translated.
    if (whole && this.#size > (this.#stream ? maxEvents : maxWhole))
      return this.#fail(new GatewayError('upstream', 'The upstream sent a response that is too large.'));
    if (this.#body) {
      if (whole) this.#resetIdle();
      if (whole || this.#size <= maxFailure) this.#body.pieces.add(chunk);
      return;
    }
    const { id } = this.#options.call.envelope.token;
    const turn = () => nextTurn(undefined, id);
    const decoded = this.#decoder?.readInSteps?.(chunk, turn) ?? this.#decoder?.read(chunk) ?? [];
    if (decoded instanceof Promise) void this.#inSteps(decoded.then(events => this.#decoded(events)));
    else this.#decoded(decoded);
  }

  #decoded(decoded: GenerateEvent[]): void {
    if (this.#over) return;
    const events = decoded.length > 1 ? joinDeltas(decoded) : decoded;
    // Once the answer has begun, any data resets the idle timeout, a ping too.
    const begun = this.#sentAny || this.#held.length > 0;
    if ((this.#stream || this.#streamsOn) && (begun || events.length > 0)) this.#resetIdle();
    this.#pass(events);
  }

  #responseEnd(): void {
    if (this.#over) return clearTimeout(this.#idleTimer);
    const passed = this.#body ? this.#passBody(this.#body) : this.#passEnd();
    passed.catch(error => this.#fail(toGatewayError(error))).finally(() => clearTimeout(this.#idleTimer));
  }

  #responseError(cause: Error): void {
    if (this.#over) return clearTimeout(this.#idleTimer);
    if (this.#decoder?.complete) {
      this.#pass(this.#decoder.end());
      return clearTimeout(this.#idleTimer);
    }
    const message = this.#decoder
      ? 'The upstream closed the connection mid-response.'
      : 'The upstream could not be reached.';
    this.#fail(
      new GatewayError(
        'upstream',
        message,
        { upstream: { provider: this.#options.upstream.provider } },
        { cause },
      ),
    );
  }

  readonly #cancelled = () => {
    this.#recordBroken('cancelled');
    this.#stop();
    this.#resolve();
  };

  /** Passes on the last events of an answer. */
  async #passEnd(): Promise<void> {
    const decoder = this.#decoder;
    const apart =
      decoder instanceof WholeBody ? await this.#decodeApart(decoder.pieces, this.#response) : null;
    if (!this.#over) this.#pass(apart?.events ?? decoder?.end() ?? []);
  }

  /** Decodes a large whole answer in a thread; null for a small one. */
  async #decodeApart(
    body: Pick<Pieces, 'length' | 'copy'>,
    response?: DecodeTask['response'],
  ): Promise<Decoded | null> {
    const { decoding, upstream, input } = this.#options;
    if (!decoding || body.length <= stepBytes) return null;
    const { id } = this.#options.call.envelope.token;
    return decoding.decode(id, () =>
      this.#over ? undefined : decodeTask(upstream.dialect.format, input, body.copy(), response),
    );
  }

  async #passBody({ status, headers, pieces }: Body): Promise<void> {
    const { provider, dialect } = this.#options.upstream;
    const apart = status < 300 ? await this.#decodeApart(pieces) : null;
    const inPlace = () =>
      status < 300 ? dialect.decodeBody(pieces.whole(), this.#options.input) : undefined;
    const events = apart ? apart.events : inPlace();
    if (this.#over) return;
    if (events) return this.#pass(events);
    // Without a `date` header, times in other headers are relative to now.
    const dated = { date: new Date().toUTCString(), ...headers };
    this.#fail(
      this.#clientError(dialect.decodeFailure({ provider, status, headers: dated, body: pieces.whole() })),
    );
  }

  /** Returns an upstream's error redacted and in terms of the client's format. */
  #clientError(error: GatewayError): GatewayError {
    const { call, input } = this.#options;
    const redacted = this.#secrets ? redactError(error, this.#secrets) : error;
    return input.request ? inClientTerms(redacted, call.envelope.format) : redacted;
  }

  /** True if held events can be sent: a stream once a part has begun, a whole answer once complete. */
  #isReady(last: GenerateEvent | undefined): boolean {
    if (!this.#streamsOn) return last?.type === 'finish';
    return this.#held.some(({ type }) => type !== 'start');
  }

  #pass(decoded: GenerateEvent[]): void {
    const end = decoded.at(-1);
    if (end?.type === 'error') {
      this.#pass(decoded.slice(0, -1));
      return this.#fail(this.#clientError(fromErrorEvent(end)));
    }
    if (!this.#sentAny) {
      // Not `push(...decoded)`: there may be more events than a call takes arguments.
      for (const event of decoded) this.#held.push(event);
      if (!this.#isReady(end)) return;
    }
    const events = this.#sentAny ? decoded : joinDeltas(this.#held);
    if (events.length === 0) return;
    this.#held = [];
    this.#sentAny = true;
    this.#record?.markSent();
    if (hasLarge(events) || (!this.#streamsOn && end?.type === 'finish' && isLargeRun(events)))
      return void this.#inSteps(this.#passInPieces(events));
    if (end?.type === 'finish' && isLargeLast(this.#options.call, events))
      return void this.#passLast(events, end);
    const goOn = this.#options.call.send(events);
    if (end?.type === 'finish') {
      this.#conclude(end);
      this.#resolve();
    } else if (!goOn) {
      // The client reads more slowly than the upstream sends.
      void this.#pauseUntil(this.#options.call.drained);
    }
  }

  /** Records the answer as complete and stops reading it. */
  #conclude({ usage }: FinishEvent): void {
    const counted = this.#options.call.envelope.operation !== 'count-tokens';
    const known = usage !== null && (usage.input + usage.output > 0 || usage.units !== undefined);
    const used = known ? { usage } : this.#guess();
    this.#record?.end({ outcome: 'answered', ...(counted ? used : { usage: null }) });
    if (this.#decoder?.cut) this.#stop();
    else this.#linger();
  }

  /** Sends a large result in steps, after the attempt has ended, so that no event comes between them. */
  async #passLast(events: readonly GenerateEvent[], end: FinishEvent): Promise<void> {
    const { call } = this.#options;
    this.#conclude(end);
    await sendLast(call, events).catch(thrown => call.send([toErrorEvent(toGatewayError(thrown))]));
    this.#resolve();
  }

  /** Sends large events in pieces at the client's pace. */
  async #passInPieces(events: readonly GenerateEvent[]): Promise<void> {
    for (const event of splitLarge(events)) {
      if (this.#over) return;
      if (event.type === 'finish') return this.#pass([event]);
      this.#options.call.send([event]);
      await this.#options.call.drained;
      await nextTurn();
    }
  }

  /** Processes a part of the answer in steps, before anything that follows it. */
  async #inSteps(work: Promise<void>): Promise<void> {
    await this.#pauseUntil(this.#order.during(work.catch(error => this.#controller?.abort(error))));
  }

  /** Pauses reading and the idle timeout until the promise resolves. */
  async #pauseUntil(until: Promise<void>): Promise<void> {
    this.#pauses++;
    this.#controller?.pause();
    clearTimeout(this.#idleTimer);
    await until;
    if (--this.#pauses > 0 || this.#over) return;
    this.#awaitMore();
    this.#controller?.resume();
  }

  #resetIdle(): void {
    if (this.#sentAny && this.#idleTimer && !this.#decoder?.complete) this.#idleTimer.refresh();
    else this.#awaitMore();
  }

  #awaitMore(): void {
    clearTimeout(this.#idleTimer);
    const { idle } = this.#options.timeouts;
    const decoder = this.#decoder;
    this.#idleTimer = decoder?.complete
      ? setTimeout(() => this.#pass(decoder.end()), Math.min(idle, endMarkMs))
      : setTimeout(() => this.#timeOut('The upstream sent no data within the idle timeout'), idle);
  }

  #timeOut(message: string): void {
    this.#fail(
      new GatewayError('timeout', `${message}.`, { upstream: { provider: this.#options.upstream.provider } }),
    );
  }

  #fail(error: GatewayError): void {
    if (this.#over) return;
    this.#recordBroken('failed', error.kind);
    this.#stop();
    if (this.#sentAny) this.#options.call.send([toErrorEvent(error)]);
    this.#resolve(this.#sentAny ? undefined : error);
  }

  #recordBroken(outcome: 'failed' | 'cancelled', error?: ErrorKind): void {
    const reported = this.#decoder?.usage ?? null;
    const hasOutput = this.#sentAny || (this.#decoder?.characters ?? 0) > 0;
    const ended = hasOutput ? atLeast(reported, this.#guess(reported)) : { usage: reported };
    this.#record?.end({ outcome, error, ...ended });
  }

  #guess(reported: Usage | null = null): Used {
    const { call, input } = this.#options;
    return guessUsed({ ...input, seconds: call.envelope.seconds }, this.#decoder?.characters ?? 0, reported);
  }

  #end(): void {
    this.#over = true;
    clearTimeout(this.#total);
    clearTimeout(this.#idleTimer);
    this.#options.call.signal.removeEventListener('abort', this.#cancelled);
  }

  /** Ends the attempt and aborts the upstream request. */
  #stop(): void {
    this.#end();
    this.#controller?.abort(new Error('the attempt has ended'));
  }

  /** Ends the attempt. Its connection can be reused only if the response itself ends soon. */
  #linger(): void {
    this.#end();
    this.#idleTimer = setTimeout(
      () => this.#controller?.abort(new Error('the response did not end')),
      lingerMs,
    );
  }
}

/** The media types of a dialect's streams. */
function streamTypes({
  streamTypes = ['text/event-stream'],
}: Upstream['dialect']): readonly [string, ...string[]] {
  return streamTypes;
}

function lengthIn({ 'content-length': length }: Body['headers']): number | undefined {
  return length === undefined ? undefined : Number(length);
}
