import type { Call } from '@model-gateway/bus';
import type { GatewayError, GenerateEvent, Route, TraceHeaders, Usage } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { AttemptCause, NotedOutcome } from './attempt-facts.ts';
import type { AttemptSpan } from './attempt-span.ts';
import type { TrackedAttempt } from './running-attempt.ts';

interface AttemptOptions {
  route: Route;
  cause: AttemptCause;
  /** Told of what is noted. */
  tracked: TrackedAttempt;
  span: AttemptSpan | undefined;
  openedAt: number;
  clock: Clock;
}

/** An attempt of a request: what its log line and its trace tell about it. */
export class NotedAttempt {
  readonly route: Route;
  readonly cause: AttemptCause;
  /** The call that serves it. */
  call?: Call;
  /** Undefined while it runs. */
  outcome: NotedOutcome | undefined;
  /** True if it failed before an upstream was called. */
  unsent = false;
  /** True once it is recorded that another attempt followed. */
  followed = false;
  /** The kind of the error if it failed. */
  error: string | undefined;
  usage: Usage | null = null;
  /** Time for which it waited for a worker, in milliseconds. */
  queuedMs: number | undefined;
  /** Time to the first part of the answer, in milliseconds. */
  firstMs: number | undefined;
  /** Its duration in milliseconds, once it has ended. */
  ms = 0;
  readonly #tracked: TrackedAttempt;
  readonly #span: AttemptSpan | undefined;
  readonly #clock: Clock;
  /** Its beginning, in milliseconds since 1970. */
  readonly openedAt: number;

  constructor({ route, cause, tracked, span, openedAt, clock }: AttemptOptions) {
    this.route = route;
    this.cause = cause;
    this.#tracked = tracked;
    this.#span = span;
    this.openedAt = openedAt;
    this.#clock = clock;
  }

  /** The headers by which the worker continues the trace. */
  get trace(): TraceHeaders | undefined {
    return this.#span?.headers;
  }

  /** Takes events of the answer; `failure` is the error in which they end. */
  read(events: readonly GenerateEvent[], failure: GatewayError | undefined): void {
    const last = events.at(-1);
    const queuedMs = this.call?.queuedMs;
    if (this.firstMs === undefined && (!failure || events.length > 1)) {
      this.firstMs = this.#clock.now() - this.openedAt;
      this.#span?.began(events, this.firstMs);
    }
    if (!failure) this.#tracked.began(queuedMs);
    if (last?.type === 'finish') {
      this.usage = last.usage;
      this.#span?.finished(last);
    }
    if (!failure && last?.type !== 'finish') return;
    this.unsent = failure !== undefined && !failure.details.attempted && this.firstMs === undefined;
    this.#tracked.ended(failure, queuedMs);
    this.#end(failure ? 'failed' : 'answered', failure?.kind);
  }

  /** Ends the attempt, whose worker was lost. */
  lost(): void {
    this.#tracked.left();
    this.#end('lost', 'worker_lost');
  }

  /** Cancels the attempt, since the client left or the request was ended. `endedBy`: the administrator who ended it. */
  leave(endedBy: string | undefined): void {
    this.#tracked.left();
    this.#end('cancelled', 'cancelled');
    this.call?.cancel(endedBy);
  }

  /** Cancels the attempt, since another one has answered first. */
  giveUp(): void {
    const { call } = this;
    this.#tracked.overtaken(call?.accepted ? call.queuedMs : undefined);
    this.#end('overtaken', undefined);
    call?.giveUp();
  }

  #end(outcome: NotedOutcome, error: string | undefined): void {
    if (this.outcome) return;
    const { call } = this;
    this.outcome = outcome;
    this.error = error;
    this.ms = this.#clock.now() - this.openedAt;
    this.queuedMs = call?.queuedMs;
    this.#span?.end({ outcome, error, queuedMs: this.queuedMs, accepted: call?.accepted });
  }
}
