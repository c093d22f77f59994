import { Readable } from 'node:stream';
import type { ServedCall, UsageWriter } from '@model-gateway/bus';
import {
  asUnsayable,
  type ErrorKind,
  type FinishEvent,
  fromErrorEvent,
  GatewayError,
  type GenerateEvent,
  type OperationRequest,
  toErrorEvent,
  toGatewayError,
  type Usage,
} from '@model-gateway/canonical';
import type { Timeouts } from '@model-gateway/catalog';
import { nextTurn, stepBytes } from '@model-gateway/service';
import { Pieces } from '@model-gateway/sse';
import type { Dispatcher } from 'undici';
import { AttemptRecord } from './attempt-record.ts';
import { type DecodeTask, decodeTask } from './decode-task.ts';
import { type Decoded, type Decoding, maxEvents } from './decoding.ts';
import { inClientTerms } from './dialects/client-terms.ts';
import type { Decoder, EncodeInput, UpstreamRequest } from './dialects/dialect.ts';
import { JsonBody } from './dialects/own-text.ts';
import { WholeBody } from './dialects/whole-body.ts';
import { atLeast, guessUsed, type Used } from './estimate.ts';
import { InOrder } from './in-order.ts';
import { joinDeltas } from './join-deltas.ts';
import { redactError } from './redact.ts';
import { isLargeLast, type SendsLast, sendLast } from './send-last.ts';
import { hasLarge, isLargeRun, splitLarge } from './split-large.ts';
import type { Upstream } from './upstreams.ts';

/** The most bytes that a whole answer may hold. */
export const maxWhole = 64 * 1024 * 1024;
/** The most bytes of a failure that are read. */
export const maxFailure = 64 * 1024;
/** The longest that a response may go on after its answer is whole. */
const lingerMs = 2_000;
/** How long to wait for the mark at the end of an answer that is complete without it. */
const endMarkMs = 2_000;

export interface AttemptOptions {
  call: Pick<ServedCall, 'envelope' | 'signal' | 'send' | 'drained' | 'announce'> & SendsLast;
  upstream: Upstream;
  input: EncodeInput<OperationRequest>;
  timeouts: Timeouts;
  usage: Pick<UsageWriter, 'add'>;
  /** Reads large whole answers; where absent, they are read like small ones. */
  decoding?: Pick<Decoding, 'decode'> | undefined;
  /** Set where the request is so large that it is written in steps. */
  large?: boolean;
}

/**
 * Asks one upstream once, and passes on what it answers.
 * Resolves to an error if nothing of an answer was given away, so that another upstream may be asked.
 */
export function attempt(dispatcher: Dispatcher, options: AttemptOptions): Promise<GatewayError | undefined> {
  return new Promise(resolve => new Attempt(options, resolve).start(dispatcher));
}

/** What comes in place of a stream or of an answer: a whole answer, or a failure. */
interface Body {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  pieces: Pieces;
}

class Attempt implements Dispatcher.DispatchHandler {
  readonly #options: AttemptOptions;
  readonly #resolve: (error?: GatewayError) => void;
  readonly #total: NodeJS.Timeout;
  #silence: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #decoder: Decoder | undefined;
  #record: AttemptRecord | undefined;
  #body: Body | undefined;
  #response: DecodeTask['response'];
  #size = 0;
  /** Events that are kept, since another upstream may be asked if they end in an error: see {@link #isReady}. */
  #held: GenerateEvent[] = [];
  #shown = false;
  #over = false;
  /** What comes while a part of the answer is read, or passed on, in steps waits for that. */
  readonly #order = new InOrder();
  /** The reasons for which nothing more is read of the upstream now. */
  #holds = 0;

  constructor(options: AttemptOptions, resolve: (error?: GatewayError) => void) {
    this.#options = options;
    this.#resolve = resolve;
    const { total } = options.timeouts;
    this.#total = setTimeout(() => this.#timeOut('The upstream took too long to answer'), total);
  }

  /** Whether the upstream answers with a stream: as the client asked; in translation always where it generates, else never. */
  get #stream(): boolean {
    const { stream, operation } = this.#options.call.envelope;
    return this.#options.input.request ? operation === 'generate' : stream;
  }

  /** Whether the answer is given away as it comes. */
  get #flows(): boolean {
    const { stream, bytes = false } = this.#options.call.envelope;
    return (stream && this.#stream) || bytes;
  }

  /** The upstream has the request: one that comes at once has only the total time. */
  #awaitFirst(): void {
    if (this.#over || !(this.#stream || this.#flows)) return;
    const { firstToken } = this.#options.timeouts;
    this.#silence = setTimeout(() => this.#timeOut('The upstream sent no token in time'), firstToken);
  }

  /** A body in pieces, as they are sent. */
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
    { path, headers: own }: Omit<UpstreamRequest, 'body'>,
    body: Buffer | AsyncIterable<Uint8Array>,
  ): void {
    const { upstream } = this.#options;
    const headers = {
      'content-type': 'application/json',
      accept: this.#stream ? 'text/event-stream' : this.#flows ? '*/*' : 'application/json',
      'user-agent': 'model-gateway',
      ...own,
      ...upstream.headers,
    };
    const sent = Buffer.isBuffer(body) ? body : Readable.from(this.#sent(body), { objectMode: false });
    this.#announce();
    if (Buffer.isBuffer(sent)) this.#awaitFirst();
    dispatcher.dispatch(
      { origin: upstream.origin, path: upstream.path + path, method: 'POST', headers, body: sent },
      this,
    );
  }

  /** From here on the upstream may count tokens, so somebody must know of it whatever happens to this process. */
  #announce(): void {
    const { call, upstream, input, usage } = this.#options;
    const { provider } = upstream;
    this.#record = new AttemptRecord(usage, { envelope: call.envelope, provider, model: input.model });
    call.announce(this.#record.announcement);
  }

  /** @throws GatewayError that another upstream may mend if it is this one's format that cannot carry the request */
  #encode(): UpstreamRequest {
    const { call, upstream, input } = this.#options;
    try {
      return upstream.dialect.encode(input);
    } catch (thrown) {
      throw asUnsayable(inClientTerms(toGatewayError(thrown), call.envelope.format));
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
    } else if (mediaType.includes('text/event-stream')) this.#decoder = dialect.decodeStream(input);
    // Asked for a stream, some upstreams answer whole, or fail with status 200.
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
    const whole = this.#body ? this.#body.status < 300 : !this.#flows;
    // An answer that is streamed here and passed on whole is translated.
    if (whole && this.#size > (this.#stream ? maxEvents : maxWhole))
      return this.#fail(new GatewayError('upstream', 'The upstream sent too large an answer.'));
    if (this.#body) {
      if (whole) this.#heard();
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
    // Once the answer has begun, whatever comes shows that it goes on, a ping too.
    const begun = this.#shown || this.#held.length > 0;
    if ((this.#stream || this.#flows) && (begun || events.length > 0)) this.#heard();
    this.#pass(events);
  }

  #responseEnd(): void {
    if (this.#over) return clearTimeout(this.#silence);
    const passed = this.#body ? this.#passBody(this.#body) : this.#passEnd();
    passed.catch(error => this.#fail(toGatewayError(error))).finally(() => clearTimeout(this.#silence));
  }

  #responseError(cause: Error): void {
    if (this.#over) return clearTimeout(this.#silence);
    if (this.#decoder?.complete) {
      this.#pass(this.#decoder.end());
      return clearTimeout(this.#silence);
    }
    const message = this.#decoder
      ? 'The upstream broke off its answer.'
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

  /** The rest of an answer. */
  async #passEnd(): Promise<void> {
    const decoder = this.#decoder;
    const apart =
      decoder instanceof WholeBody ? await this.#decodeApart(decoder.pieces, this.#response) : null;
    if (!this.#over) this.#pass(apart?.events ?? decoder?.end() ?? []);
  }

  /** The events of a large whole answer, read in a thread; null for a small one. */
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
    // A response without a date is of now, for what is told relative to it.
    const dated = { date: new Date().toUTCString(), ...headers };
    this.#fail(
      this.#shownAs(dialect.decodeFailure({ provider, status, headers: dated, body: pieces.whole() })),
    );
  }

  /** An upstream's error, in words that the client may hear and knows. */
  #shownAs(error: GatewayError): GatewayError {
    const { call, upstream, input } = this.#options;
    const redacted = redactError(error, upstream);
    return input.request ? inClientTerms(redacted, call.envelope.format) : redacted;
  }

  /** Whether what is held may be shown: of a stream as soon as a part began, of a whole answer all of it. */
  #isReady(last: GenerateEvent | undefined): boolean {
    if (!this.#flows) return last?.type === 'finish';
    return this.#held.some(({ type }) => type !== 'start');
  }

  #pass(decoded: GenerateEvent[]): void {
    const end = decoded.at(-1);
    if (end?.type === 'error') {
      this.#pass(decoded.slice(0, -1));
      return this.#fail(this.#shownAs(fromErrorEvent(end)));
    }
    if (!this.#shown) {
      // One by one: there may be more than a call takes arguments.
      for (const event of decoded) this.#held.push(event);
      if (!this.#isReady(end)) return;
    }
    const events = this.#shown ? decoded : joinDeltas(this.#held);
    if (events.length === 0) return;
    this.#held = [];
    this.#shown = true;
    this.#record?.shown();
    if (hasLarge(events) || (!this.#flows && end?.type === 'finish' && isLargeRun(events)))
      return void this.#inSteps(this.#passInPieces(events));
    if (end?.type === 'finish' && isLargeLast(this.#options.call, events))
      return void this.#passLast(events, end);
    const goOn = this.#options.call.send(events);
    if (end?.type === 'finish') {
      this.#conclude(end);
      this.#resolve();
    } else if (!goOn) {
      // The client takes less than the upstream gives.
      void this.#hold(this.#options.call.drained);
    }
  }

  /** The answer is whole, and nothing more is read of it. */
  #conclude({ usage }: FinishEvent): void {
    const counted = this.#options.call.envelope.operation !== 'count-tokens';
    const known = usage !== null && (usage.input + usage.output > 0 || usage.units !== undefined);
    const used = known ? { usage } : this.#guess();
    this.#record?.end({ outcome: 'answered', ...(counted ? used : { usage: null }) });
    if (this.#decoder?.cut) this.#stop();
    else this.#linger();
  }

  /** A large result goes in steps, once nothing can come between them. */
  async #passLast(events: readonly GenerateEvent[], end: FinishEvent): Promise<void> {
    const { call } = this.#options;
    this.#conclude(end);
    await sendLast(call, events).catch(thrown => call.send([toErrorEvent(toGatewayError(thrown))]));
    this.#resolve();
  }

  /** Large events go in pieces, as the client takes them. */
  async #passInPieces(events: readonly GenerateEvent[]): Promise<void> {
    for (const event of splitLarge(events)) {
      if (this.#over) return;
      if (event.type === 'finish') return this.#pass([event]);
      this.#options.call.send([event]);
      await this.#options.call.drained;
      await nextTurn();
    }
  }

  /** Deals with a part of the answer in steps, before what comes after it. */
  async #inSteps(work: Promise<void>): Promise<void> {
    await this.#hold(this.#order.during(work.catch(error => this.#controller?.abort(error))));
  }

  /** Reads nothing more of the upstream until then, and counts no silence. */
  async #hold(until: Promise<void>): Promise<void> {
    this.#holds++;
    this.#controller?.pause();
    clearTimeout(this.#silence);
    await until;
    if (--this.#holds > 0 || this.#over) return;
    this.#awaitMore();
    this.#controller?.resume();
  }

  #heard(): void {
    if (this.#shown && this.#silence && !this.#decoder?.complete) this.#silence.refresh();
    else this.#awaitMore();
  }

  #awaitMore(): void {
    clearTimeout(this.#silence);
    const { idle } = this.#options.timeouts;
    const decoder = this.#decoder;
    this.#silence = decoder?.complete
      ? setTimeout(() => this.#pass(decoder.end()), Math.min(idle, endMarkMs))
      : setTimeout(() => this.#timeOut('The upstream fell silent'), idle);
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
    if (this.#shown) this.#options.call.send([toErrorEvent(error)]);
    this.#resolve(this.#shown ? undefined : error);
  }

  #recordBroken(outcome: 'failed' | 'cancelled', error?: ErrorKind): void {
    const told = this.#decoder?.usage ?? null;
    const spoke = this.#shown || (this.#decoder?.characters ?? 0) > 0;
    const ended = spoke ? atLeast(told, this.#guess(told)) : { usage: told };
    this.#record?.end({ outcome, error, ...ended });
  }

  #guess(told: Usage | null = null): Used {
    const { call, input } = this.#options;
    return guessUsed({ ...input, seconds: call.envelope.seconds }, this.#decoder?.characters ?? 0, told);
  }

  #end(): void {
    this.#over = true;
    clearTimeout(this.#total);
    clearTimeout(this.#silence);
    this.#options.call.signal.removeEventListener('abort', this.#cancelled);
  }

  /** Ends, and closes the upstream. */
  #stop(): void {
    this.#end();
    this.#controller?.abort(new Error('nobody waits for this answer'));
  }

  /** The answer is whole but the response may not be: its connection serves again only if it ends soon. */
  #linger(): void {
    this.#end();
    this.#silence = setTimeout(
      () => this.#controller?.abort(new Error('the response did not end')),
      lingerMs,
    );
  }
}

/** The `content-length`, where there is one. */
function lengthIn({ 'content-length': length }: Body['headers']): number | undefined {
  return length === undefined ? undefined : Number(length);
}
