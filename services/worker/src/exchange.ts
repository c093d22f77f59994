import { asNotRepresentable, type Envelope, toGatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { EncodeInput, UpstreamRequest } from '@model-gateway/formats/upstream';
import { JsonBody } from '@model-gateway/formats/upstream';
import type { Additions } from '@model-gateway/providers';
import { nextTurn } from '@model-gateway/service';
import type { AnswerBudget } from './answer-budget.ts';
import type { Decoding } from './decoding.ts';
import type { Redacted } from './redact.ts';
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
