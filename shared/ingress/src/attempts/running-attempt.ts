import type { Call } from '@model-gateway/bus';
import type {
  Envelope,
  GatewayError,
  GenerateEvent,
  Route,
  TraceHeaders,
  Usage,
} from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { AttemptCause, AttemptSpan, NotedOutcome } from './request-trace.ts';
import { isCutShort } from './target-failure.ts';

/** Weight of the latest time to the first token in the average of a target. */
const latestWeight = 0.3;
/** Age at which an average is forgotten, in milliseconds, so that a target that was slow once is tried again. */
export const forgetMs = 60_000;

/** Streams and whole answers, which begin after different times. */
export type AnswerKind = 'streamed' | 'whole';

/** Returns the kind of a request's answer; undefined for a count of tokens, which says nothing about a target's answers. */
export function kindOf({
  operation,
  stream,
}: Pick<Envelope, 'operation' | 'stream'>): AnswerKind | undefined {
  if (operation === 'count-tokens') return undefined;
  return stream ? 'streamed' : 'whole';
}

/** The recent past of one target, as this process saw it. */
export interface Target {
  inFlight: number;
  /** Attempts in flight that the upstream has not begun to answer. */
  waiting: number;
  /** Failures since the last success. */
  failedInRow: number;
  /** Outcomes of recent attempts, the oldest first. */
  outcomes: { at: number; failed: boolean }[];
  /** Average time to the first part of an answer in milliseconds, and the time of the last measurement. */
  first: Partial<Record<AnswerKind, { ms: number; at: number }>>;
  /** Time of the last answer, in milliseconds since 1970. */
  answeredAt: number;
  /** Called at the next outcome of an attempt. */
  followers?: Set<() => void>;
}

/** An attempt at a target, from its beginning to its end. */
export interface TrackedAttempt {
  /** Records that the upstream has begun to answer. `queuedMs` is the time that the attempt waited for a worker. */
  began(queuedMs?: number): void;
  /** Ends the attempt: with the error if it failed, without one if it was answered. `queuedMs` as above. */
  ended(error?: GatewayError, queuedMs?: number): void;
  /** Ends the attempt without an outcome, since the client left. */
  left(): void;
  /** Ends the attempt because another one of the same request has answered first. No `queuedMs`: it had no worker. */
  overtaken(queuedMs?: number): void;
}

/** An attempt that says nothing about a target. */
export const untracked: TrackedAttempt = { began() {}, ended() {}, left() {}, overtaken() {} };

/** The health of targets, as far as attempts change it. */
interface Health {
  readonly clock: Clock;
  /** Ends the rests of a target that has answered an attempt which began at `began`. */
  recovered(route: Route, began: number, now: number): void;
  /** Notes the outcome of an attempt that began at `began`. */
  note(route: Route, target: Target, error: GatewayError | undefined, began: number): void;
  /** Lets another request probe the rests on which a probe has not decided. */
  endProbes(ids: readonly string[], began: number): void;
}

interface AttemptOptions {
  route: Route;
  target: Target;
  kind: AnswerKind;
  /** Its beginning, in milliseconds since 1970. */
  began: number;
  /** The latest end of its request, in milliseconds since 1970. */
  endsAt: number;
  /** The ids of the rests that it probes. */
  probed: readonly string[];
}

/** An attempt at a target whose health is tracked: one object, since each stream has one for as long as it takes. */
export class RunningAttempt implements TrackedAttempt {
  readonly #health: Health;
  readonly #options: AttemptOptions;
  #state: 'waiting' | 'answered' | 'over' = 'waiting';

  constructor(health: Health, options: AttemptOptions) {
    this.#health = health;
    this.#options = options;
    options.target.inFlight++;
    options.target.waiting++;
  }

  began(queuedMs = 0): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'answered';
    const { route, target, began } = this.#options;
    target.waiting--;
    const now = this.#health.clock.now();
    this.#measure(queuedMs, now);
    this.#health.recovered(route, began, now);
    target.answeredAt = now;
    callFollowers(target);
  }

  left(): void {
    this.#end();
  }

  overtaken(queuedMs?: number): void {
    this.#end(waited => {
      // It would have taken longer.
      if (waited && queuedMs !== undefined) this.#measure(queuedMs, this.#health.clock.now());
    });
  }

  ended(error?: GatewayError, queuedMs = 0): void {
    if (!error) this.began();
    const { route, target, began, endsAt } = this.#options;
    const now = this.#health.clock.now();
    if (error && isCutShort(error, endsAt - now, now - began - queuedMs, route.timeouts.total)) this.#end();
    else this.#end(() => this.#health.note(route, target, error, began));
  }

  /** Adds the time to the first part of the answer to the target's average. */
  #measure(queuedMs: number, now: number): void {
    const { target, kind, began } = this.#options;
    const ms = now - began - queuedMs;
    const earlier = target.first[kind];
    const isFresh = earlier && now - earlier.at < forgetMs;
    target.first[kind] = { ms: isFresh ? ms * latestWeight + earlier.ms * (1 - latestWeight) : ms, at: now };
  }

  /** Ends the attempt if it has not ended; `record` then takes its outcome, and is told if it waited for an answer. */
  #end(record?: (waited: boolean) => void): void {
    if (this.#state === 'over') return;
    const { target, probed, began } = this.#options;
    const waited = this.#state === 'waiting';
    if (waited) target.waiting--;
    this.#state = 'over';
    target.inFlight--;
    record?.(waited);
    this.#health.endProbes(probed, began);
    callFollowers(target);
  }
}

function callFollowers(target: Target): void {
  const { followers } = target;
  if (!followers) return;
  delete target.followers;
  for (const follower of followers) follower();
}

interface NotedOptions {
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

  constructor({ route, cause, tracked, span, openedAt, clock }: NotedOptions) {
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
