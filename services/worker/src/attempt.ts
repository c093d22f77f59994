import { Readable } from 'node:stream';
import {
  type ErrorKind,
  type FinishEvent,
  fromErrorEvent,
  GatewayError,
  type GenerateEvent,
  toGatewayError,
} from '@model-gateway/canonical';
import { brokenConnection, malformedAnswer, ofUpstream, withPath } from '@model-gateway/formats/upstream';
import type { Span } from '@model-gateway/service';
import type { Dispatcher } from 'undici';
import { type AttemptEnd, AttemptRecord, usageOf } from './attempt-record.ts';
import { AttemptTimers } from './attempt-timers.ts';
import { CheckedAnswer } from './checked-answer.ts';
import { Delivery, joinDeltas, Reading } from './delivery.ts';
import {
  type AttemptOptions,
  type ExchangeOptions,
  exchangeOf,
  type SignedRequest,
  signedRequest,
} from './exchange.ts';
import { type Redacted, redactError } from './redact.ts';
import { UpstreamResponse } from './upstream-response.ts';
import { wordsOf } from './upstream-words.ts';

/**
 * Sends a request to one upstream and passes its answer on.
 * Resolves to an error if nothing was sent to the client, so that another upstream can be tried.
 */
export function attempt(dispatcher: Dispatcher, options: AttemptOptions): Promise<GatewayError | undefined> {
  return new Promise(resolve => void new Attempt(options, resolve).start(dispatcher));
}

class Attempt implements Dispatcher.DispatchHandler {
  readonly #options: AttemptOptions;
  readonly #resolve: (error?: GatewayError) => void;
  readonly #exchange: ExchangeOptions;
  readonly #timers: AttemptTimers;
  readonly #delivery: Delivery;
  #controller: Dispatcher.DispatchController | undefined;
  /** Set when the request is sent. */
  #secrets: Redacted | undefined;
  #record: AttemptRecord | undefined;
  #response: UpstreamResponse | undefined;
  #over = false;
  readonly #checked = new CheckedAnswer();
  readonly #reading = new Reading({
    pause: () => {
      this.#controller?.pause();
      this.#timers.pause();
    },
    resume: () => {
      if (this.#over) return;
      this.#timers.resume(this.#response?.awaits ?? 'data');
      this.#controller?.resume();
    },
    broke: thrown => this.#broke(thrown),
  });

  constructor(options: AttemptOptions, resolve: (error?: GatewayError) => void) {
    const { call, upstream, timeouts, clock } = options;
    this.#options = options;
    this.#resolve = resolve;
    this.#exchange = exchangeOf(options);
    this.#delivery = new Delivery(call, this.#exchange.streamsOn);
    this.#timers = new AttemptTimers(timeouts, clock, {
      late: message => this.#fail(ofUpstream(new GatewayError('timeout', `${message}.`), upstream)),
      unmarked: () => this.#reading.now(() => this.#pass(this.#response?.endNow() ?? [])),
    });
  }

  async start(dispatcher: Dispatcher): Promise<void> {
    this.#options.call.signal.addEventListener('abort', this.#cancelled);
    try {
      const signing = signedRequest(this.#exchange);
      const request = signing instanceof Promise ? await signing : signing;
      if (!this.#over) this.#send(dispatcher, request);
    } catch (thrown) {
      this.#fail(toGatewayError(thrown));
    }
  }

  #send(dispatcher: Dispatcher, { origin, path, unsigned, headers, body }: SignedRequest): void {
    this.#secrets = { origin, headers };
    const whole = Buffer.isBuffer(body);
    this.#checked.sent = whole ? body.length : Number.POSITIVE_INFINITY;
    const sent = whole ? body : Readable.from(this.#sent(body), { objectMode: false });
    const traced = this.#options.trace?.toUpstream(origin, path);
    this.#announce(traced?.span);
    if (whole) this.#awaitFirst();
    const all = { ...unsigned, ...headers, ...traced?.headers };
    dispatcher.dispatch({ origin, path, method: 'POST', headers: all, body: sent }, this);
  }

  /** Yields the body, and starts the first-token timeout once it is sent. */
  async *#sent(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    yield* pieces;
    if (!this.#response) this.#awaitFirst();
  }

  /** Announces the attempt before it is sent: the upstream may charge for it even if this process dies. */
  #announce(span: Span | undefined): void {
    const { call, upstream, input, usage, clock } = this.#options;
    const target = { provider: upstream.provider, model: input.model };
    const id = call.announce(target);
    this.#record = new AttemptRecord(usage, { id, envelope: call.envelope, ...target }, clock, span);
  }

  /** True if parts of the answer are waited for. An answer that is not streamed has only the total timeout. */
  get #inParts(): boolean {
    return this.#exchange.asksStream || this.#exchange.streamsOn;
  }

  #awaitFirst(): void {
    if (!this.#over && this.#inParts) this.#timers.awaitFirst();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Error('cancelled'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    ...response: [status: number, headers: ConstructorParameters<typeof UpstreamResponse>[2]]
  ): void {
    controller.rawHeaders = null; // Else undici keeps the bytes that were read until the response ends.
    this.#reading.now(() => {
      this.#record?.responded(response[0]);
      if (response[0] >= 200) this.#response = new UpstreamResponse(this.#exchange, ...response);
    });
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#reading.run(() => this.#data(chunk));
  }

  onResponseEnd(): void {
    this.#reading.run(() => void this.#responseEnd());
  }

  onResponseError(_controller: unknown, cause: Error): void {
    this.#reading.run(() => this.#responseError(cause));
  }

  /** Fails the attempt: an exception while an upstream's answer is read is the answer's fault. */
  #broke(thrown: unknown): void {
    this.#options.faults?.report('answer', thrown);
    if (thrown instanceof GatewayError) return this.#fail(this.#clientError(thrown));
    this.#fail(new GatewayError('upstream', malformedAnswer, {}, { cause: thrown }));
  }

  #data(chunk: Buffer): void {
    if (this.#over) return;
    const decoded = this.#response?.read(chunk) ?? [];
    if (this.#response?.isReadFailure) return this.#fail(this.#clientError(this.#response.failure()));
    if (decoded instanceof Promise) void this.#reading.during(decoded.then(events => this.#decoded(events)));
    else this.#decoded(decoded);
  }

  #decoded(decoded: GenerateEvent[]): void {
    if (this.#over) return;
    const events = decoded.length > 1 ? joinDeltas(decoded) : decoded;
    // Once the answer has begun, any data resets the idle timeout, a ping too.
    const begun = this.#delivery.begun || this.#response?.replacesStream || events.length > 0;
    if (this.#inParts && begun) this.#timers.heard(this.#response?.awaits ?? 'data');
    else this.#timers.alive();
    this.#pass(events);
  }

  /** Passes on the last events of an answer, or the upstream's error. */
  async #responseEnd(): Promise<void> {
    const response = this.#response;
    try {
      const events = this.#over ? undefined : await response?.end();
      if (events && !this.#over) this.#pass(events);
      else if (response && !this.#over) this.#fail(this.#clientError(response.failure()));
    } catch (thrown) {
      this.#broke(thrown);
    }
    this.#timers.pause();
  }

  #responseError(cause: Error): void {
    if (this.#over) return this.#timers.pause();
    if (this.#response?.complete) {
      this.#pass(this.#response.endNow());
      return this.#timers.pause();
    }
    const unanswered = this.#controller ? 'unanswered' : 'unopened';
    const place = this.#response?.asRequested ? 'mid-response' : unanswered;
    this.#fail(ofUpstream(brokenConnection(place, cause), this.#options.upstream));
  }

  readonly #cancelled = () => {
    const end = this.#brokenEnd('cancelled');
    if (end) this.#record?.end(end);
    this.#stop();
    this.#resolve();
  };

  /** Returns an upstream's error redacted; one about a translated request with the path of the canonical field. */
  #clientError(error: GatewayError): GatewayError {
    const { upstream, input } = this.#options;
    const redacted = this.#secrets ? redactError(error, this.#secrets) : error;
    return input.body === 'canonical' ? withPath(redacted, upstream.dialect) : redacted;
  }

  /** Passes events on to the client, and ends the attempt after the last one. */
  #pass(decoded: readonly GenerateEvent[]): void {
    this.#passChecked(this.#checked.check(decoded));
  }

  #passChecked(decoded: readonly GenerateEvent[]): void {
    const end = decoded.at(-1);
    if (end?.type === 'error') {
      this.#passChecked(decoded.slice(0, -1));
      return this.#fail(this.#clientError(fromErrorEvent(end)));
    }
    const events = this.#delivery.take(decoded);
    if (events.length === 0) return;
    this.#record?.markSent();
    const finish = end?.type === 'finish' ? end : undefined;
    if (this.#delivery.isLarge(events)) return void this.#reading.during(this.#passInPieces(events, finish));
    if (finish && this.#delivery.isLargeLast(events))
      return void this.#passLast(events, finish).catch(thrown => this.#broke(thrown));
    const drained = this.#delivery.send(events);
    if (finish) {
      this.#conclude(finish);
      this.#resolve();
    } else if (drained) {
      void this.#reading.pauseUntil(drained);
    }
  }

  async #passInPieces(events: readonly GenerateEvent[], finish: FinishEvent | undefined): Promise<void> {
    await this.#delivery.sendInPieces(events);
    if (finish && !this.#over) this.#passChecked([finish]);
  }

  /** Sends a large result in steps, after the attempt has ended, so that no event comes between them. */
  async #passLast(events: readonly GenerateEvent[], finish: FinishEvent): Promise<void> {
    this.#conclude(finish);
    await this.#delivery.sendLast(events);
    this.#resolve();
  }

  /** Records the answer as complete and stops reading it. */
  #conclude({ usage, reason, raw }: FinishEvent): void {
    const { call, input, reasons } = this.#options;
    const used = usageOf(input, this.#response?.characters ?? 0, usage, this.#checked.impossible);
    const finishReason = call.envelope.operation === 'generate' ? reason : undefined;
    this.#record?.end({ outcome: 'answered', finishReason, ...used });
    if (finishReason === 'other') reasons?.(raw, this.#options);
    if (this.#response?.cut) return this.#stop();
    // The connection can be reused only if the response itself ends soon.
    this.#end();
    this.#timers.linger(() => this.#controller?.abort(new Error('the response did not end')));
  }

  #fail(error: GatewayError): void {
    if (this.#over) return;
    const end = this.#brokenEnd('failed', error.kind);
    this.#stop();
    const failure = this.#record && !error.details.share ? ofUpstream(error, this.#options.upstream) : error;
    void this.#recordFailed(end, error).then(() => this.#resolve(this.#delivery.fail(failure)));
  }

  async #recordFailed(end: AttemptEnd | undefined, error: GatewayError): Promise<void> {
    if (!end) return;
    const words = await wordsOf(error, this.#options, this.#response, this.#secrets).catch(() => ({}));
    this.#record?.end({ ...end, ...words, final: !this.#options.sendsAgain?.(error) });
  }

  #brokenEnd(outcome: 'failed' | 'cancelled', error?: ErrorKind): AttemptEnd | undefined {
    const { usage = null, characters = 0, textAt } = this.#response ?? {};
    return this.#record?.brokenEnd(this.#options.input, {
      ...{ outcome, error, characters, textAt, reported: this.#checked.possible(usage) },
      ...{ hasBegun: this.#delivery.begun || characters > 0, isSent: this.#controller !== undefined },
      signal: this.#options.call.signal,
    });
  }

  /** Ends the attempt and aborts the upstream request. */
  #stop(): void {
    this.#end();
    this.#controller?.abort(new Error('the attempt has ended'));
  }

  #end(): void {
    this.#over = true;
    this.#options.streams?.(this.#options.upstream.provider, this.#timers);
    this.#timers.stop();
    this.#delivery.stop();
    this.#response?.abandon();
    this.#options.call.signal.removeEventListener('abort', this.#cancelled);
  }
}
