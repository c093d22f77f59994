import { Readable } from 'node:stream';
import type { ServedCall, UsageWriter } from '@model-gateway/bus';
import {
  asUnsayable,
  type ErrorKind,
  fromErrorEvent,
  GatewayError,
  type GenerateEvent,
  type OperationRequest,
  toErrorEvent,
  toGatewayError,
  type Usage,
  type VerbatimEvent,
} from '@model-gateway/canonical';
import type { Timeouts } from '@model-gateway/catalog';
import { nextTurn, stepBytes } from '@model-gateway/service';
import { Pieces } from '@model-gateway/sse';
import type { Dispatcher } from 'undici';
import { AttemptRecord } from './attempt-record.ts';
import { maxEvents } from './decode-bounds.ts';
import { type DecodeTask, decodeTask } from './decode-task.ts';
import type { Decoded, Decoding } from './decoding.ts';
import { inClientTerms } from './dialects/client-terms.ts';
import type { Decoder, EncodeInput, UpstreamRequest } from './dialects/dialect.ts';
import { JsonBody } from './dialects/json-body.ts';
import { WholeBody } from './dialects/whole-body.ts';
import { atLeast, guessUsed, type Used } from './estimate.ts';
import { joinDeltas } from './join-deltas.ts';
import { redactError } from './redact.ts';
import { hasLargeDelta, splitDeltas } from './split-deltas.ts';
import type { Upstream } from './upstreams.ts';

/** The most bytes that a whole answer may hold. */
export const maxWhole = 64 * 1024 * 1024;
/** The most bytes of a failure that are read. */
export const maxFailure = 64 * 1024;
/** Bytes of an answer that go to the client at once. */
const largePiece = 128 * 1024;
/** The longest that a response may go on after its answer is whole. */
const lingerMs = 2_000;
/** How long to wait for the mark at the end of an answer that is complete without it. */
const endMarkMs = 2_000;

export interface AttemptOptions {
  call: Pick<ServedCall, 'envelope' | 'signal' | 'send' | 'drained' | 'announce'>;
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
    const decoded = this.#decoder?.read(chunk) ?? [];
    const events = decoded.length > 1 ? joinDeltas(decoded) : decoded;
    // Once the answer has begun, whatever comes shows that it goes on, a ping too.
    const begun = this.#shown || this.#held.length > 0;
    if ((this.#stream || this.#flows) && (begun || events.length > 0)) this.#heard();
    this.#pass(events);
  }

  onResponseEnd(): void {
    if (this.#over) return clearTimeout(this.#silence);
    const passed = this.#body ? this.#passBody(this.#body) : this.#passEnd();
    passed.catch(error => this.#fail(toGatewayError(error))).finally(() => clearTimeout(this.#silence));
  }

  onResponseError(_controller: unknown, cause: Error): void {
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
    const apart = decoder instanceof WholeBody ? await this.#decodeApart(decoder.body, this.#response) : null;
    if (!this.#over) this.#pass(apart?.events ?? decoder?.end() ?? []);
  }

  /** The events of a large whole answer, read in a thread; null for a small one. */
  async #decodeApart(body: Buffer, response?: DecodeTask['response']): Promise<Decoded | null> {
    const { decoding, upstream, input } = this.#options;
    if (!decoding || body.length <= stepBytes) return null;
    const { id } = this.#options.call.envelope.token;
    return decoding.decode(id, () =>
      this.#over ? undefined : decodeTask(upstream.dialect.format, input, body, response),
    );
  }

  async #passBody({ status, headers, pieces }: Body): Promise<void> {
    const { provider, dialect } = this.#options.upstream;
    const body = pieces.whole();
    const apart = status < 300 ? await this.#decodeApart(body) : null;
    const inPlace = () => (status < 300 ? dialect.decodeBody(body, this.#options.input) : undefined);
    const events = apart ? apart.events : inPlace();
    if (this.#over) return;
    if (events) return this.#pass(events);
    // A response without a date is of now, for what is told relative to it.
    const dated = { date: new Date().toUTCString(), ...headers };
    this.#fail(this.#shownAs(dialect.decodeFailure({ provider, status, headers: dated, body })));
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
    const [first] = events;
    if (!this.#flows && first?.type === 'verbatim' && first.whole && first.bytes.length > largePiece)
      return void this.#passLarge(first, events.slice(1));
    if (hasLargeDelta(events)) return void this.#passInPieces(events);
    const goOn = this.#options.call.send(events);
    if (end?.type === 'finish') {
      const { usage } = end;
      const counted = this.#options.call.envelope.operation !== 'count-tokens';
      const known = usage !== null && (usage.input + usage.output > 0 || usage.units !== undefined);
      const used = known ? { usage } : this.#guess();
      this.#record?.end({ outcome: 'answered', ...(counted ? used : { usage: null }) });
      if (this.#decoder?.cut) this.#stop();
      else this.#linger();
      this.#resolve();
    } else if (!goOn) {
      void this.#pause();
    }
  }

  /** Events with large deltas go in pieces, as the client takes them; nothing more is read of the upstream meanwhile. */
  async #passInPieces(events: readonly GenerateEvent[]): Promise<void> {
    this.#controller?.pause();
    clearTimeout(this.#silence);
    for (const event of splitDeltas(events)) {
      if (this.#over) return;
      if (event.type === 'finish') return this.#pass([event]);
      this.#options.call.send([event]);
      await this.#options.call.drained;
      await nextTurn();
    }
    if (this.#over) return;
    this.#awaitMore();
    this.#controller?.resume();
  }

  /** A large whole answer goes in pieces, as the client takes them. */
  async #passLarge({ bytes, whole }: VerbatimEvent, rest: GenerateEvent[]): Promise<void> {
    for (let at = 0; at < bytes.length && !this.#over; at += largePiece) {
      const piece = bytes.subarray(at, at + largePiece);
      const partial = at + largePiece < bytes.length;
      const head = at === 0 && whole ? { whole } : {};
      const goOn = this.#options.call.send([{ type: 'verbatim', bytes: piece, partial, ...head }]);
      if (!goOn) await this.#options.call.drained;
    }
    if (!this.#over) this.#pass(rest);
  }

  /** The client takes less than the upstream gives: reads no more until it has caught up, and counts no silence. */
  async #pause(): Promise<void> {
    this.#controller?.pause();
    clearTimeout(this.#silence);
    await this.#options.call.drained;
    if (this.#over) return;
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
