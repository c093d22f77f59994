import type { UsageWriter } from '@model-gateway/bus';
import {
  type AttemptOutcome,
  canonicalMedia,
  type Envelope,
  type ErrorKind,
  estimateUsage,
  type FinishReason,
  mediaPlacesIn,
  noUsage,
  recordHead,
  type Usage,
  type UsageRecord,
} from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { Span } from '@model-gateway/service';
import type { InputBody, InputFacts } from './dialects/dialect.ts';

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
  /** The administrator who ended the request. */
  endedBy?: string | undefined;
  finishReason?: FinishReason | undefined;
  usage: Usage | null;
  estimated?: boolean;
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

  /** Marks output as sent to the client, which is then charged. */
  markSent(): void {
    if (this.#firstMs !== undefined) return;
    this.#firstMs = this.#clock.monotonic() - this.#began;
    this.span?.event('gen_ai.first_chunk');
  }

  end({ outcome, error, endedBy, finishReason, usage, estimated }: AttemptEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#endSpan(outcome, error);
    const charged = this.#firstMs !== undefined;
    this.#writer.add({
      ...recordHead(this.#attempt.envelope, this.#attempt),
      at: this.#at,
      ms: Math.round(this.#clock.monotonic() - this.#began),
      ...(charged && { firstMs: Math.round(this.#firstMs as number) }),
      outcome,
      ...(error && { error }),
      ...(endedBy && { endedBy }),
      ...(finishReason && { finishReason }),
      charged,
      usage,
      ...(estimated && { estimated }),
    });
  }

  #endSpan(outcome: AttemptOutcome, error: ErrorKind | undefined): void {
    if (!this.span) return;
    this.span.set({ 'gateway.attempt.id': this.#attempt.id });
    if (outcome !== 'answered') this.span.fail(error ?? outcome);
    this.span.end();
  }
}

type Ledger = Pick<UsageWriter, 'add'>;

/** Usage records of calls that make one answer, held until it is known whether the client received it. */
export class JointRecords implements Ledger {
  readonly #held: UsageRecord[] = [];

  add(record: UsageRecord): void {
    this.#held.push(record);
  }

  /** Writes the records; if the answer did not reach the client, they are uncharged, answered calls too. */
  flush(ledger: Ledger, reached: boolean): void {
    for (const record of this.#held) ledger.add(reached ? record : uncharged(record));
  }
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
  if (known) return { usage: reported };
  const guess = guessUsed(requested, answerCharacters, null);
  return impossible && guess.usage ? { ...guess, usage: { ...guess.usage, raw: impossible.raw } } : guess;
}

/** Returns the usage of an answer that broke off; as reported, unless more output arrived. */
export function usageSoFar(requested: Requested, answerCharacters: number, reported: Usage | null): Used {
  const guess = guessUsed(requested, answerCharacters, reported);
  // Some upstreams also report at the first token.
  return reported && reported.output >= (guess.usage?.output ?? 0) ? { usage: reported } : guess;
}

/** Estimates usage. Of `reported`, only the output is replaced; for a form, nothing. */
function guessUsed(requested: Requested, answerCharacters: number, reported: Usage | null): Used {
  if (requested.body === 'form') return reported ? { usage: reported } : ofAudio(requested.envelope.seconds);
  const isVerbatim = requested.body === 'verbatim';
  const sent = isVerbatim ? JSON.parse(requested.text.toString()) : requested.request;
  const media = isVerbatim ? mediaPlacesIn(requested.envelope.format) : canonicalMedia;
  return { usage: estimateUsage(sent, media, answerCharacters, reported), estimated: true };
}

/** Estimates audio by its seconds; a file's size says nothing about its cost. */
function ofAudio(seconds: number | undefined): Used {
  if (seconds === undefined) return { usage: null };
  return { usage: { ...noUsage, units: { seconds } }, estimated: true };
}
