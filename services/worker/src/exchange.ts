import {
  asNotRepresentable,
  type Envelope,
  GatewayError,
  type GenerateEvent,
  hiddenIn,
  toErrorEvent,
  toGatewayError,
  type Usage,
} from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { Additions, Connection } from '@model-gateway/providers';
import { nextTurn, stepBytes } from '@model-gateway/service';
import { Pieces } from '@model-gateway/sse';
import type { AnswerBudget, AnswerReservation } from './answer-budget.ts';
import { type DecodeTask, decodeTask } from './decode-task.ts';
import { type Decoded, type Decoding, maxEvents, unreadable } from './decoding.ts';
import type { Decoder, EncodeInput, UpstreamRequest } from './dialects/dialect.ts';
import { JsonBody } from './dialects/request-body.ts';
import { WholeBody } from './dialects/whole-body.ts';
import type { Redacted } from './redact.ts';
import { splitUrl, type Upstream } from './upstreams.ts';

/** The largest whole answer, in bytes. */
export const maxWhole = 64 * 1024 * 1024;
/** The most bytes of an error body that are read. */
export const maxFailure = 64 * 1024;
/** The most bytes of an error body that a provider explains. */
const maxExplained = 8 * 1024;

/** One request to an upstream, and the form of its answer. */
export interface ExchangeOptions {
  envelope: Envelope;
  upstream: Upstream;
  input: EncodeInput;
  /** True if the upstream is asked to stream. */
  asksStream: boolean;
  /** True if the answer is sent to the client as it arrives. */
  streamsOn: boolean;
  /** Decodes large whole answers in a thread; if absent, they are decoded in place. */
  decoding?: Pick<Decoding, 'decode'> | undefined;
  /** Bounds the answers that are held; if absent, only the size of each is bounded. */
  answers?: AnswerBudget | undefined;
  /** The most bytes of a body that is so large that it is written in steps; absent for a small one. */
  large?: number | undefined;
  /** Ends the writing of a large body once it has aborted. */
  signal?: AbortSignal | undefined;
  clock: Clock;
}

/** A signed request. */
export interface SignedRequest extends Redacted {
  path: string;
  body: Buffer | AsyncIterable<Uint8Array>;
  /** Headers without those of the credential and the configuration, which are in `headers`. */
  unsigned: Record<string, string>;
}

/**
 * Encodes and signs a request. Returns a promise if its body is written in steps, or if its signature takes time.
 * @throws GatewayError that lets another target be tried if this upstream's format cannot carry it
 */
export function signedRequest(options: ExchangeOptions): SignedRequest | Promise<SignedRequest> {
  const { body, ...request } = encode(options);
  if (!(body instanceof JsonBody)) return sign(options, request, body);
  const { large: limit, signal, envelope } = options;
  if (!limit) return sign(options, request, body.bytes());
  const turn = () => nextTurn(undefined, envelope.token.id);
  return body.bytesInSteps(turn, { limit, signal }).then(bytes => sign(options, request, bytes));
}

function encode({ upstream, input }: ExchangeOptions): UpstreamRequest {
  try {
    const request = upstream.dialect.encode(input);
    return withAdditions(request, upstream.connection.additions?.(request.path));
  } catch (thrown) {
    throw asNotRepresentable(toGatewayError(thrown));
  }
}

function withAdditions(request: UpstreamRequest, additions: Additions | undefined): UpstreamRequest {
  if (!additions) return request;
  const { headers, fields = {} } = additions;
  const { body } = request;
  return {
    ...request,
    headers: { ...request.headers, ...headers },
    body: body instanceof JsonBody ? body.with(fields) : body,
  };
}

function sign(
  { upstream, input, asksStream, streamsOn }: ExchangeOptions,
  { path: below, headers: requestHeaders }: Omit<UpstreamRequest, 'body'>,
  body: Buffer | AsyncIterable<Uint8Array>,
): SignedRequest | Promise<SignedRequest> {
  const { dialect, connection, headers: configured } = upstream;
  const unsigned = {
    'content-type': 'application/json',
    accept: asksStream ? streamTypes(dialect)[0] : streamsOn ? '*/*' : 'application/json',
    'user-agent': 'model-gateway',
    ...requestHeaders,
    ...configured,
  };
  const streams = asksStream && !input.drop.includes('stream');
  const url = connection.url(below, input.model, streams);
  const text = Buffer.isBuffer(body) ? body : undefined;
  const signature = connection.sign({ method: 'POST', url, headers: unsigned, body: text });
  const signed = (headers: Record<string, string>) => ({
    ...splitUrl(url),
    body,
    unsigned,
    headers: { ...headers, ...configured },
  });
  return signature instanceof Promise ? signature.then(signed) : signed(signature);
}

type ResponseHeaders = Record<string, string | string[] | undefined>;

const none: GenerateEvent[] = [];

/** A response of an upstream, from its status on, decoded as it arrives. */
export class UpstreamResponse {
  readonly #options: ExchangeOptions;
  readonly #status: number;
  readonly #headers: ResponseHeaders;
  /** Absent for a body that is collected before it is decoded: a whole answer in place of a stream, or a failure. */
  readonly #decoder: Decoder | undefined;
  readonly #collected: Pieces | undefined;
  /** True if the answer is whole, and so bounded in size. */
  readonly #isWhole: boolean;
  readonly #turn = () => nextTurn(undefined, this.#options.envelope.token.id);
  readonly #memory: AnswerReservation | undefined;
  #size = 0;
  #abandoned = false;
  /** The time of the first text by the monotonic clock; undefined before it. */
  textAt: number | undefined;

  constructor(options: ExchangeOptions, status: number, headers: ResponseHeaders) {
    this.#options = options;
    this.#status = status;
    this.#headers = headers;
    this.#decoder = status < 300 ? this.#decoderOf(options) : undefined;
    if (!this.#decoder) this.#collected = new Pieces();
    this.#isWhole = this.#decoder ? !options.streamsOn : status < 300;
    const { envelope, upstream, answers } = options;
    this.#memory = answers?.open({ provider: upstream.provider, token: envelope.token.id });
  }

  /** Some upstreams answer a streaming request with a whole body, or with an error of status 200: no decoder. */
  #decoderOf({ upstream: { dialect }, input, asksStream }: ExchangeOptions): Decoder | undefined {
    const { mediaType, length } = this.#form;
    if (!asksStream) return dialect.decodeWhole(input, mediaType, length);
    const streamed = streamTypes(dialect).some(type => mediaType.includes(type));
    return streamed ? dialect.decodeStream(input) : undefined;
  }

  get #form(): NonNullable<DecodeTask['response']> {
    const { 'content-type': mediaType, 'content-length': length } = this.#headers;
    return { mediaType: String(mediaType ?? ''), length: length === undefined ? undefined : Number(length) };
  }

  /** True if the response has the form of an answer that was asked for. */
  get asRequested(): boolean {
    return this.#decoder !== undefined;
  }

  /** True if the response is a whole body in place of a stream. */
  get replacesStream(): boolean {
    return this.#collected !== undefined && this.#isWhole;
  }

  /** True if only the end mark of the answer may be missing. */
  get complete(): boolean {
    return this.#decoder?.complete === true;
  }

  /** True if the decoder ended the answer before the upstream did. */
  get cut(): boolean {
    return this.#decoder?.cut === true;
  }

  /** The usage that the upstream has reported so far. */
  get usage(): Usage | null {
    return this.#decoder?.usage ?? null;
  }

  /** Characters of text received so far. */
  get characters(): number {
    return this.#decoder?.characters ?? 0;
  }

  /** True for a failure of which as much was read as is used. */
  get isReadFailure(): boolean {
    return this.#collected !== undefined && !this.#isWhole && this.#size >= maxFailure;
  }

  /**
   * Decodes a chunk; a large event is parsed in steps, and the promise resolves to its events.
   * @throws GatewayError of kind `overloaded` if too many answers are held
   */
  read(chunk: Buffer): GenerateEvent[] | Promise<GenerateEvent[]> {
    this.#size += chunk.length;
    // A stream that is passed on as a whole answer is translated.
    if (this.#isWhole && this.#size > (this.#options.asksStream ? maxEvents : maxWhole))
      return [toErrorEvent(tooLarge())];
    if (this.#isWhole) this.#memory?.hold(this.#size);
    if (this.#collected) {
      this.#collected.add(chunk);
      return none;
    }
    const events = this.#decoder?.readInSteps?.(chunk, this.#turn) ?? this.#decoder?.read(chunk) ?? none;
    if (!this.#isWhole) this.#memory?.hold(this.#decoder?.held ?? 0);
    if (this.textAt === undefined && this.characters > 0) this.textAt = this.#options.clock.monotonic();
    return events instanceof Promise ? events : this.#withHidden(events);
  }

  /** Returns the last events of a complete answer that is not waited for any longer. */
  endNow(): GenerateEvent[] {
    return this.#withHidden(this.#decoder?.end() ?? none);
  }

  /** Notes in the usage of an answer which part of its reasoning it did not show. */
  #withHidden(events: GenerateEvent[]): GenerateEvent[] {
    const last = events.at(-1);
    if (last?.type === 'finish' && last.usage && last.usage.reasoning > 0)
      last.usage = { ...last.usage, hidden: hiddenIn(last.usage, this.characters) };
    return events;
  }

  /** Returns the last events of a response that has ended; undefined if it is an error: see `failure`. */
  async end(): Promise<GenerateEvent[] | undefined> {
    const { upstream, input } = this.#options;
    if (this.#decoder instanceof WholeBody) {
      const apart = await this.#decodeApart(this.#decoder.pieces, this.#form);
      if (this.#abandoned || apart) return apart?.events ?? none;
    }
    if (!this.#collected) return this.endNow();
    if (!this.#isWhole) return undefined;
    const apart = await this.#decodeApart(this.#collected);
    if (apart || this.#abandoned) return apart?.events;
    return upstream.dialect.decodeBody(this.#collected.whole(), input);
  }

  /** Returns the error that the upstream answered. */
  failure(): GatewayError {
    const { upstream, input, clock } = this.#options;
    const { provider, dialect, connection } = upstream;
    // Without a `date` header, times in other headers are relative to now.
    const headers = { date: new Date(clock.now()).toUTCString(), ...this.#headers };
    const body = this.#collected?.first(maxFailure) ?? Buffer.alloc(0);
    const failure = dialect.decodeFailure({ provider, status: this.#status, headers, body });
    return explained(failure, connection, { status: this.#status, model: input.model, body });
  }

  /** Leaves the response undecoded if it still waits to be decoded, and frees its memory. */
  abandon(): void {
    this.#abandoned = true;
    this.#memory?.release();
  }

  /** Decodes a large whole answer in a thread; undefined for a small one. */
  async #decodeApart(
    body: Pick<Pieces, 'length' | 'copy'>,
    form?: DecodeTask['response'],
  ): Promise<Decoded | undefined> {
    const { envelope, decoding, upstream, input } = this.#options;
    if (!decoding || body.length <= stepBytes) return undefined;
    const decoded = await decoding.decode(envelope.token.id, () =>
      this.#abandoned ? undefined : decodeTask(upstream.dialect.format, input, body.copy(), form),
    );
    // What the thread could not decode would block the event loop, too.
    return decoded ?? { events: [toErrorEvent(unreadable())] };
  }
}

/** Returns an upstream's error, in the provider's words if a setting of the provider is the reason for it. */
export function explained(
  failure: GatewayError,
  connection: Connection,
  { status, model, body }: { status: number; model: string; body: Buffer },
): GatewayError {
  const advice = connection.explain?.({ status, model, text: body.toString('utf8', 0, maxExplained) });
  if (!advice) return failure;
  // The upstream's own words are not the cause: a log would have them with what they repeat.
  const { param: _param, ...details } = failure.details;
  return new GatewayError(advice.kind, advice.message, details);
}

function tooLarge(): GatewayError {
  return new GatewayError('upstream', 'The upstream sent a response that is too large.');
}

/** The media types of a dialect's streams. */
function streamTypes({
  streamTypes = ['text/event-stream'],
}: Upstream['dialect']): readonly [string, ...string[]] {
  return streamTypes;
}
