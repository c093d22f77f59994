import type { ServedCall, UsageWriter } from '@model-gateway/bus';
import {
  type AttemptOutcome,
  billedExtras,
  canonicalMedia,
  type Envelope,
  type ErrorKind,
  endedByOf,
  estimateInput,
  estimateUsage,
  type FinishReason,
  hasInput,
  isGivenUp,
  mediaPlacesIn,
  noUsage,
  type PromptEstimate,
  partOf,
  recordHead,
  type TargetRef,
  type Usage,
  type UsageRecord,
  webSearchTool,
} from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { EncodeInput, InputBody, InputFacts } from '@model-gateway/formats/upstream';
import type { Span } from '@model-gateway/service';

interface RecordedAttempt {
  /** The id by which the caller knows the attempt: a UUIDv7. */
  id: string;
  envelope: Envelope;
  provider: string;
  /** The model's name at the provider. */
  model: string;
}

/** Outcome and usage of an attempt. */
export interface AttemptEnd {
  outcome: AttemptOutcome;
  error?: ErrorKind | undefined;
  /** The HTTP status of the upstream's answer. */
  upstreamStatus?: number | undefined;
  upstreamMessage?: string | undefined;
  /** False if the request did not end with this attempt. */
  final?: boolean | undefined;
  /** The administrator who ended the request. */
  endedBy?: string | undefined;
  finishReason?: FinishReason | undefined;
  usage: Usage | null;
  estimated?: boolean;
  /** Absent if the client is charged for any output that was sent to it. */
  charged?: boolean;
}

/** The usage record of one attempt: created before the upstream is called, written once at the end. */
export class AttemptRecord {
  readonly #writer: Pick<UsageWriter, 'add'>;
  readonly #attempt: RecordedAttempt;
  readonly #clock: Clock;
  readonly #at: number;
  readonly #began: number;
  /** Its span, in a trace that is sampled. */
  readonly span: Span | undefined;
  #firstMs: number | undefined;
  #ended = false;

  /** `span`: the request to the upstream in a sampled trace, which ends with the attempt. */
  constructor(writer: Pick<UsageWriter, 'add'>, attempt: RecordedAttempt, clock: Clock, span?: Span) {
    this.#writer = writer;
    this.#attempt = attempt;
    this.#clock = clock;
    this.#at = clock.now();
    this.#began = clock.monotonic();
    this.span = span;
  }

  /** Notes the status of the upstream's response. */
  responded(status: number): void {
    this.span?.set({ 'http.response.status_code': status });
  }

  /** Marks output as sent to the client. */
  markSent(): void {
    if (this.#firstMs !== undefined) return;
    this.#firstMs = this.#clock.monotonic() - this.#began;
    this.span?.event('gen_ai.first_chunk');
  }

  end(end: AttemptEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    const {
      outcome,
      error,
      upstreamStatus,
      upstreamMessage,
      final,
      endedBy,
      finishReason,
      usage,
      estimated,
    } = end;
    this.#endSpan(outcome, error);
    const firstMs = this.#firstMs;
    const { charged = firstMs !== undefined } = end;
    this.#writer.add({
      ...recordHead(this.#attempt.envelope, this.#attempt),
      at: this.#at,
      ms: Math.round(this.#clock.monotonic() - this.#began),
      ...(firstMs !== undefined && { firstMs: Math.round(firstMs) }),
      outcome,
      ...(error && { error }),
      ...(upstreamStatus !== undefined && { upstreamStatus }),
      ...(upstreamMessage && { upstreamMessage }),
      ...(final === false && { final }),
      ...(endedBy && { endedBy }),
      ...(finishReason && { finishReason }),
      charged,
      ...(usage?.tier !== undefined && { serviceTier: usage.tier }),
      usage,
      ...(estimated && { estimated }),
    });
  }

  /** Returns the end of an attempt that broke off. */
  brokenEnd(requested: Requested, { textAt, ...broken }: Broken): AttemptEnd {
    const silentMs = Math.round((textAt ?? this.#clock.monotonic()) - this.#began);
    const end = brokenEnd(requested, { ...broken, silentMs });
    const isRepeated = end.outcome === 'failed' && this.#attempt.envelope.repeats;
    return isRepeated ? { ...end, charged: false } : end;
  }

  #endSpan(outcome: AttemptOutcome, error: ErrorKind | undefined): void {
    if (!this.span) return;
    this.span.set({ 'gateway.attempt.id': this.#attempt.id });
    if (outcome !== 'answered') this.span.fail(error ?? outcome);
    this.span.end();
  }
}

type Ledger = Pick<UsageWriter, 'add'>;

/** Usage records of calls that make one answer, held until it is known whether the client is charged for it. */
export class JointRecords implements Ledger {
  readonly #held: UsageRecord[] = [];

  add(record: UsageRecord): void {
    this.#held.push(record);
  }

  /** Writes the records; unless the answer reached the client or the client left, they are uncharged, answered calls too. */
  flush(ledger: Ledger, reached: boolean, signal: AbortSignal): void {
    const isCharged = reached || (signal.aborted && !isGivenUp(signal));
    for (const record of this.#joined()) ledger.add(isCharged ? record : uncharged(record));
  }

  /** Writes the records of calls that make one stream: each is charged for what was sent of it. */
  write(ledger: Ledger): void {
    for (const record of this.#joined()) ledger.add(record);
  }

  /** Returns the records as those of one request, which ends with one that failed, else with the last. */
  #joined(): readonly UsageRecord[] {
    const last = this.#held.findLast(({ outcome }) => outcome === 'failed') ?? this.#held.at(-1);
    for (const record of this.#held) if (record !== last) record.final = false;
    return this.#held;
  }
}

/** Records the attempt of a call that was cancelled before its request was sent, if its caller waits for the record. */
export function recordUnsent(
  call: Pick<ServedCall, 'envelope' | 'signal' | 'announce' | 'isUnannounced'>,
  { provider, model }: TargetRef,
  { usage, clock }: { usage: Ledger; clock: Clock },
): void {
  if (!call.signal.aborted || !call.isUnannounced) return;
  const { envelope } = call;
  const attempt = { id: call.announce({ provider, model }), envelope, provider, model };
  new AttemptRecord(usage, attempt, clock).end({ outcome: 'cancelled', usage: null });
}

function uncharged({ firstMs: _, ...record }: UsageRecord): UsageRecord {
  return { ...record, charged: false };
}

/** Usage of an attempt, as far as it is known. */
export interface Used {
  usage: Usage | null;
  /** Set if the usage is an estimate. */
  estimated?: true;
}

type Requested = Pick<InputFacts, 'envelope'> & InputBody;

/**
 * Returns the usage of a complete answer: as the upstream reported it, if it did. `impossible`: one that it reported, though the
 * request cannot have had it; it is kept beside the estimate.
 */
export function usageOf(
  requested: Requested,
  answerCharacters: number,
  reported: Usage | null,
  impossible?: Usage,
): Used {
  // A count costs nothing.
  if (requested.envelope.operation === 'count-tokens') return { usage: null };
  const known = reported && (reported.input + reported.output > 0 || reported.units !== undefined);
  if (known) return withGuesses(requested, answerCharacters, withSearch(reported, requested.envelope));
  const guess = guessUsed(requested, { characters: answerCharacters, reported: null });
  return impossible && guess.usage ? { ...guess, usage: { ...guess.usage, raw: impossible.raw } } : guess;
}

/** Returns a usage of a generated answer with an estimate of the input or the output where the upstream reported only the other. */
function withGuesses(requested: Requested, answerCharacters: number, usage: Usage): Used {
  const { input, output } = usage;
  const isWhole = input > 0 && (output > 0 || answerCharacters === 0);
  if (isWhole || requested.envelope.operation !== 'generate') return { usage };
  const guess = guessUsed(requested, { characters: answerCharacters, reported: null }).usage ?? noUsage;
  return {
    usage: { ...usage, input: input || guess.input, output: output || guess.output },
    estimated: true,
  };
}

/** Returns a usage with the search that each answer of the chat format with web search makes, since that format reports none. */
function withSearch(usage: Usage, { extras, route }: Envelope): Usage {
  if (!extras || route?.format !== 'chat' || usage.units?.webSearches !== undefined) return usage;
  const searches = billedExtras(extras, route).hostedTools?.includes(webSearchTool);
  return searches ? { ...usage, units: { ...usage.units, webSearches: 1 } } : usage;
}

/** Returns the input of one of several upstream calls that make one answer, with its part of the estimate. */
export function inPart(input: EncodeInput, calls: number): EncodeInput {
  const { envelope } = input;
  if (!envelope.estimate || calls === 1) return input;
  return { ...input, envelope: { ...envelope, estimate: partOf(envelope.estimate, calls) } };
}

/** An attempt that broke off. */
interface Broken {
  /** The time of the first text by the monotonic clock; undefined if none was received. */
  textAt: number | undefined;
  outcome: 'failed' | 'cancelled';
  error?: ErrorKind | undefined;
  /** The signal of its call. */
  signal: AbortSignal;
  /** True if the request was sent to the upstream. */
  isSent: boolean;
  /** True if the upstream has begun to answer. */
  hasBegun: boolean;
  /** Characters of text that were received. */
  characters: number;
  /** The usage that the upstream has reported so far. */
  reported: Usage | null;
}

/** An answer as far as it was received. `silentMs`: the time without text, in milliseconds. */
type Received = Pick<Broken, 'characters' | 'reported'> & { silentMs?: number };

/** Returns the end of an attempt that broke off. A client that leaves is charged for what was sent to the upstream. */
function brokenEnd(requested: Requested, broken: Omit<Broken, 'textAt'> & Received): AttemptEnd {
  const { outcome, error, signal, isSent, hasBegun, reported } = broken;
  const isUsed = hasBegun || (outcome === 'cancelled' && isSent);
  const used = isUsed ? usageSoFar(requested, broken) : { usage: reported };
  if (outcome === 'failed') return { outcome, error, ...used };
  const isOver = isGivenUp(signal);
  const ended = { outcome, endedBy: endedByOf(signal), charged: isSent && !isOver };
  return { ...ended, ...(isOver && { final: false }), ...used };
}

/** Returns the usage of an answer that broke off; as reported, unless more output arrived. */
function usageSoFar(requested: Requested, received: Received): Used {
  if (requested.envelope.operation === 'count-tokens') return { usage: null };
  const { reported } = received;
  const guess = guessUsed(requested, received);
  // Some upstreams also report at the first token.
  const isWhole = reported && hasInput(reported) && reported.output >= (guess.usage?.output ?? 0);
  return isWhole ? { usage: reported } : guess;
}

/** Estimates usage. Of `reported`, only the output is replaced; for a form, nothing. */
function guessUsed(requested: Requested, { characters, reported, silentMs }: Received): Used {
  if (requested.body === 'form' && reported) return { usage: reported };
  const { estimate, stream } = requested.envelope;
  const prompt = estimate ?? promptOf(requested);
  if (!prompt) return { usage: null };
  const usage = estimateUsage(prompt, characters, reported, stream ? silentMs : undefined);
  return { usage, estimated: true };
}

/** Estimates a request that its caller has not estimated; undefined for a form of unknown length, whose size says nothing about its cost. */
function promptOf(requested: Requested): PromptEstimate | undefined {
  const { format, seconds } = requested.envelope;
  if (requested.body === 'form') return seconds === undefined ? undefined : { input: 0, units: { seconds } };
  if (requested.body === 'canonical') return { input: estimateInput(requested.request, canonicalMedia) };
  return { input: estimateInput(JSON.parse(requested.text.toString()), mediaPlacesIn(format)) };
}
