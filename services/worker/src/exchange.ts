import type { Faults, ServedCall, UsageWriter } from '@model-gateway/bus';
import {
  asNotRepresentable,
  type Envelope,
  type GatewayError,
  type Timeouts,
  toGatewayError,
} from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import { type EncodeInput, JsonBody, type UpstreamRequest } from '@model-gateway/formats/upstream';
import type { Additions } from '@model-gateway/providers';
import { nextTurn } from '@model-gateway/service';
import type { AnswerBudget } from './answer-budget.ts';
import type { MeasureStream } from './attempt-timers.ts';
import type { CallTrace } from './call-trace.ts';
import type { Decoding } from './decoding.ts';
import type { DeliveredCall } from './delivery.ts';
import type { Redacted } from './redact.ts';
import type { NoteReason } from './unknown-reasons.ts';
import { splitUrl, type Upstream } from './upstreams.ts';

/** The largest whole answer, in bytes. */
export const maxWhole = 64 * 1024 * 1024;
/** The most bytes of an error body that are read. */
export const maxFailure = 64 * 1024;

/** The media type of server-sent events. */
export const eventStream = 'text/event-stream';

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

/** A request to one upstream, and the parts that an attempt needs. */
export interface AttemptOptions
  extends Pick<ExchangeOptions, 'upstream' | 'input' | 'decoding' | 'answers' | 'large' | 'clock'> {
  call: Pick<ServedCall, 'signal' | 'announce'> & DeliveredCall;
  timeouts: Timeouts;
  usage: Pick<UsageWriter, 'add'>;
  streams?: MeasureStream | undefined;
  /** Takes the finish reasons that are not known; if absent, they are only told as cuts. */
  reasons?: NoteReason | undefined;
  trace?: CallTrace | undefined;
  /** True if the ledger keeps the upstream's message of a failure. */
  storesErrors?: boolean;
  /** True for a failure after which the request is sent to the same target in another way; if absent, there is none. */
  sendsAgain?: ((error: GatewayError) => boolean) | undefined;
  /** Takes what callbacks throw; if absent, it only fails the attempt. */
  faults?: Pick<Faults, 'report'> | undefined;
}

/** Returns what is asked of the upstream. */
export function exchangeOf(options: AttemptOptions): ExchangeOptions {
  const { call, upstream, input, clock, decoding, answers, large } = options;
  const { envelope, signal } = call;
  const { stream, bytes = false, operation } = envelope;
  // A verbatim request follows the client; a translated generate request always streams; others never do.
  const asksStream = input.body === 'canonical' ? operation === 'generate' : stream;
  const streamsOn = (stream && asksStream) || bytes;
  return {
    ...{ envelope, upstream, input, asksStream, streamsOn, decoding, answers, large, signal, clock },
  };
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

function encode({ upstream, input, envelope }: ExchangeOptions): UpstreamRequest {
  try {
    const request = upstream.dialect.encode(input);
    // A client of the upstream's own format may have turned betas of OpenAI on.
    const beta = input.body === 'canonical' ? undefined : envelope.headers['openai-beta'];
    const told = beta ? { ...request, headers: { ...request.headers, 'openai-beta': beta } } : request;
    return withAdditions(told, upstream.connection.additions?.(request.path));
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
    // Without it, any compression is allowed.
    'accept-encoding': 'identity',
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

/** The media types of a dialect's streams. */
export function streamTypes({
  streamTypes = [eventStream],
}: Upstream['dialect']): readonly [string, ...string[]] {
  return streamTypes;
}

/** The time for which a model is not asked for a stream again, in milliseconds. */
const rememberMs = 3_600_000;
/** The most models that are remembered. The one that is known for longest is forgotten first. */
const mostRemembered = 1_000;

type Target = { provider: string; model: string };

/** The models that refuse to stream though they answer, as OpenAI does for an organization that is not verified. */
export class WholeAnswers {
  readonly #until = new Map<string, number>();
  readonly #clock: Pick<Clock, 'now'>;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  has(target: Target): boolean {
    const until = this.#until.get(keyOf(target));
    return until !== undefined && until > this.#clock.now();
  }

  add(target: Target): void {
    const key = keyOf(target);
    this.#until.delete(key);
    this.#until.set(key, this.#clock.now() + rememberMs);
    const [oldest] = this.#until.keys();
    if (this.#until.size > mostRemembered && oldest !== undefined) this.#until.delete(oldest);
  }
}

/** True if an upstream refuses a request because it asks for a stream, by naming the field. */
export function refusesStream({ kind, details }: GatewayError): boolean {
  return kind === 'invalid-request' && (details.param === 'stream' || details.param === 'stream_options');
}

function keyOf({ provider, model }: Target): string {
  return JSON.stringify([provider, model]);
}
