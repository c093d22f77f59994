import {
  type ErrorKind,
  type FinishReason,
  GatewayError,
  type GenerateEvent,
  noUsage,
  toErrorEvent,
  type Usage,
} from '@model-gateway/canonical';
import { EventReader, EventSplitter, EventTooLarge, splitEvents } from '@model-gateway/sse';
import { type ChatUsage, chatDone, chatUpstreamError } from '@model-gateway/wire';
import type { Decoder, UpstreamRefusal } from '../dialect.ts';

/** The parts of an answer or a chunk that the gateway looks at. */
interface ChatAnswer {
  choices?: { index?: number; finish_reason?: string | null }[];
  usage?: ChatUsage | null;
  error?: unknown;
}

/** Passes a stream on byte for byte, and watches it for its end, its usage and its errors. */
export class StreamDecoder implements Decoder {
  readonly #splitter = new EventSplitter();
  readonly #reader = new EventReader();
  readonly #showUsage: boolean;
  readonly #choices = new Set<number>();
  readonly #finished = new Set<number>();
  #begun = false;
  #reason: string | null = null;
  #usage: Usage | null = null;
  /** Whether the read at hand holds a chunk that the client must not see. */
  #hide = false;
  #over = false;

  /** Without `showUsage`, the chunk that has nothing but the usage is kept from the client. */
  constructor({ showUsage }: { showUsage: boolean }) {
    this.#showUsage = showUsage;
  }

  read(bytes: Buffer): GenerateEvent[] {
    if (this.#over) return [];
    try {
      const whole = this.#splitter.push(bytes);
      return whole.length === 0 ? [] : this.#events(whole);
    } catch (cause) {
      if (!(cause instanceof EventTooLarge)) throw cause;
      return this.#fail(new GatewayError('upstream', 'The upstream sent an event that is too large.'));
    }
  }

  end(): GenerateEvent[] {
    if (this.#over) return [];
    const finished =
      this.#finished.size > 0 && this.#finished.size === this.#choices.size && !this.#splitter.unfinished;
    if (!finished)
      return this.#fail(new GatewayError('upstream', 'The upstream ended its answer too early.'));
    // Every choice has ended, so the answer is whole: only its end mark is missing.
    return [{ type: 'verbatim', bytes: Buffer.from(`data: ${chatDone}\n\n`) }, ...this.#finish()];
  }

  #events(whole: Buffer): GenerateEvent[] {
    const events = this.#reader.read(whole);
    // Comments before the first event are no answer: another upstream may still be asked.
    this.#begun ||= events.length > 0;
    if (!this.#begun) return [];
    let kept = 0;
    for (const { data } of events) {
      const problem = this.#look(data);
      if (problem) return [...verbatim(firstEvents(whole, kept)), ...this.#fail(problem)];
      kept++;
      if (this.#over) break;
    }
    const shown = this.#hide ? withoutUsage(whole) : whole;
    this.#hide = false;
    return this.#over ? [...verbatim(shown), ...this.#finish()] : verbatim(shown);
  }

  /** Takes note of one event; what it returns is what is wrong with it. */
  #look(data: string): GatewayError | undefined {
    if (data === chatDone) {
      this.#over = true;
      return undefined;
    }
    const chunk = parseAnswer(data);
    if (!chunk) return new GatewayError('upstream', 'The upstream sent a malformed event.');
    if (chunk.error) return answerError(chunk.error);
    for (const { index = 0, finish_reason: reason } of chunk.choices ?? []) {
      this.#choices.add(index);
      if (!reason) continue;
      this.#finished.add(index);
      this.#reason = reason;
    }
    if (chunk.usage) this.#usage = readUsage(chunk.usage);
    this.#hide ||= !this.#showUsage && isUsageOnly(chunk);
    return undefined;
  }

  #finish(): GenerateEvent[] {
    this.#over = true;
    return [finish(this.#reason, this.#usage)];
  }

  #fail(error: GatewayError): GenerateEvent[] {
    this.#over = true;
    return [toErrorEvent(error)];
  }
}

/** Passes a whole answer on byte for byte, once all of it is here and found to be one. */
export class WholeDecoder implements Decoder {
  readonly #chunks: Buffer[] = [];

  read(bytes: Buffer): GenerateEvent[] {
    this.#chunks.push(bytes);
    return [];
  }

  end(): GenerateEvent[] {
    const bytes = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    const answer = parseAnswer(bytes.toString('utf8'));
    if (answer?.error) return [toErrorEvent(answerError(answer.error))];
    const first = answer?.choices?.[0];
    if (!answer || !first)
      return [toErrorEvent(new GatewayError('upstream', 'The upstream sent a malformed answer.'))];
    const whole = { status: 200, mediaType: 'application/json', length: bytes.length };
    const usage = answer.usage ? readUsage(answer.usage) : null;
    return [{ type: 'verbatim', bytes, whole }, finish(first.finish_reason ?? null, usage)];
  }
}

/** What an upstream's refusal means for the client. The gateway's own credential is not the client's to mend. */
export function decodeRefusal({ provider, status, headers, body }: UpstreamRefusal): GatewayError {
  const parsed = chatUpstreamError.safeParse(parseAnswer(body.toString('utf8'))?.error);
  const { message, param, code } = parsed.success ? parsed.data : {};
  const kind = refusalKind(status, code);
  const requestId = headers['x-request-id'];
  const details = {
    ...(kind === 'invalid-request' && param && { param }),
    ...((kind === 'invalid-request' || kind === 'not-found') && code && { code: String(code) }),
    ...retryAfter(headers['retry-after']),
    upstream: { provider, status, ...(typeof requestId === 'string' && { requestId }) },
  };
  const refused = status === 401 || status === 403;
  const text = refused ? "The upstream refused the gateway's credential." : message;
  return new GatewayError(kind, text || `The upstream answered with status ${status}.`, details);
}

function refusalKind(status: number, code: unknown): ErrorKind {
  if (code === 'insufficient_quota') return 'quota-exceeded';
  switch (status) {
    case 400:
    case 422:
      return 'invalid-request';
    case 404:
      return 'not-found';
    case 408:
    case 504:
      return 'timeout';
    case 413:
      return 'too-large';
    case 429:
      return 'rate-limited';
    case 503:
    case 529:
      return 'overloaded';
    default:
      return 'upstream';
  }
}

/** Seconds, or a date. */
function retryAfter(header: string | string[] | undefined): { retryAfterMs?: number } {
  if (typeof header !== 'string') return {};
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return Number.isNaN(ms) ? {} : { retryAfterMs: Math.max(0, ms) };
}

function answerError(given: unknown): GatewayError {
  const parsed = chatUpstreamError.safeParse(given);
  const { message, code } = parsed.success ? parsed.data : {};
  const kind = refusalKind(typeof code === 'number' ? code : 500, code);
  return new GatewayError(kind, message || 'The upstream failed.');
}

/** Reads an answer or a chunk; undefined if it is none. */
function parseAnswer(text: string): ChatAnswer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isAnswer(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isAnswer(value: unknown): value is ChatAnswer {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const choices: unknown = 'choices' in value ? value.choices : null;
  if (choices === null) return true;
  return Array.isArray(choices) && choices.every(choice => typeof choice === 'object' && choice !== null);
}

function verbatim(bytes: Buffer): GenerateEvent[] {
  return bytes.length === 0 ? [] : [{ type: 'verbatim', bytes }];
}

function isUsageOnly({ usage, choices }: ChatAnswer): boolean {
  return Boolean(usage) && choices?.length === 0;
}

function withoutUsage(whole: Buffer): Buffer {
  const reader = new EventReader();
  const kept = splitEvents(whole.toString('utf8')).filter(event => {
    const chunk = parseAnswer(reader.read(Buffer.from(event))[0]?.data ?? '');
    return !(chunk && isUsageOnly(chunk));
  });
  return Buffer.from(kept.join(''));
}

/** The bytes of a read up to the given count of events, comments not counted. */
function firstEvents(whole: Buffer, count: number): Buffer {
  const reader = new EventReader();
  let left = count;
  const kept = splitEvents(whole.toString('utf8')).filter(event => {
    if (left > 0) left -= reader.read(Buffer.from(event)).length;
    else return false;
    return true;
  });
  return Buffer.from(kept.join(''));
}

function finish(raw: string | null, usage: Usage | null): GenerateEvent {
  return { type: 'finish', reason: finishReason(raw), raw, usage };
}

function finishReason(raw: string | null): FinishReason {
  switch (raw) {
    case 'stop':
      return 'stop';
    case 'length':
      return 'length';
    case 'tool_calls':
    case 'function_call':
      return 'tool-calls';
    case 'content_filter':
      return 'content-filter';
    default:
      return 'other';
  }
}

function readUsage(raw: ChatUsage): Usage {
  const { prompt_tokens_details: input, completion_tokens_details: output } = raw;
  return {
    ...noUsage,
    input: raw.prompt_tokens ?? 0,
    cachedInput: input?.cached_tokens ?? 0,
    cacheWrite5m: input?.cache_write_tokens ?? 0,
    audioInput: input?.audio_tokens ?? 0,
    imageInput: input?.image_tokens ?? 0,
    output: raw.completion_tokens ?? 0,
    reasoning: output?.reasoning_tokens ?? 0,
    audioOutput: output?.audio_tokens ?? 0,
    raw,
  };
}
