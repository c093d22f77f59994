import type { GatewayError, Route } from '@model-gateway/canonical';
import { type Rest, restId } from '@model-gateway/catalog';
import { type Clock, systemClock } from '@model-gateway/clock';
import { counter, type Registry } from '@model-gateway/service';
import {
  type AnswerKind,
  forgetMs,
  RunningAttempt,
  type Target,
  type TrackedAttempt,
  untracked,
} from '../attempts/running-attempt.ts';
import { failureOf, provesLife, type TargetFailure } from '../attempts/target-failure.ts';
import { inOwnTime, isProbed, isResting, probeGraceMs, restAfter, undecided } from './rest-times.ts';
import { RetryBudget } from './retry-budget.ts';

/** A target rests after this many failures in a row, or if they are at least half of its recent attempts. */
export const failuresToRest = 3;
/** Recent attempts: at most this many, of at most this many milliseconds. */
const recentAttempts = 20;
const recentMs = 30_000;
/** The most targets remembered. A model with a `*` can have any number of them. */
const maxTargets = 10_000;

type TargetOf = Pick<Route, 'provider' | 'key' | 'model'>;

/** Knows which targets fail, how busy they are, and how fast they answer. */
export class TargetHealth {
  /** The time of the targets, and of the requests to them. */
  readonly clock: Clock;
  readonly #id: string;
  readonly #targets = new Map<string, Target>();
  readonly #rests = new Map<string, Rest>();
  /** Bounds how often failed requests are sent again. */
  readonly retries: RetryBudget;
  /** Called with each rest that begins, is extended, or ends. */
  onRest: (rest: Rest) => void = () => {};
  /** Called with each rest that this process begins. */
  onBegin: (rest: Rest) => void = () => {};

  /** `id` names this process among all. */
  constructor(id = '', clock: Clock = systemClock) {
    this.#id = id;
    this.clock = clock;
    this.retries = new RetryBudget(clock);
  }

  /** Takes a change that another process made. */
  read(rest: Rest): void {
    const id = restId(rest);
    if ((this.#rests.get(id)?.version ?? 0) >= rest.version) return;
    this.#keep(id, inOwnTime(rest, this.clock.now()));
    if (rest.until === 0) this.#forgetOutcomes(id, rest);
  }

  forget(id: string): void {
    this.#rests.delete(id);
  }

  /** Every target and key that rests, or waits for its probe. */
  resting(): Rest[] {
    return [...this.#rests.values()].filter(({ until }) => until > 0);
  }

  /** True if a request may take the target: it does not rest, or no process probes it although its rest is over. */
  isOpen(target: TargetOf, now: number): boolean {
    return this.#restsOf(target).every(rest => {
      const probeAt = rest.by === this.#id ? rest.until : rest.until + probeGraceMs;
      return now >= probeAt && !isProbed(rest, now);
    });
  }

  /** Time in milliseconds since 1970 at which the target's rest ends; 0 if it does not rest. */
  restsUntil(target: TargetOf): number {
    return Math.max(0, ...this.#restsOf(target).map(({ until }) => until));
  }

  /** Index of the first target that a request may take now; -1 if there is none. */
  firstOpen(targets: readonly TargetOf[]): number {
    const now = this.clock.now();
    return targets.findIndex(target => this.isOpen(target, now));
  }

  /** Returns the first target that a request may take now, or else the one whose rest ends first; undefined if there is no target. */
  firstOf<Target extends TargetOf>(targets: readonly Target[]): Target | undefined {
    const open = this.firstOpen(targets);
    if (open >= 0) return targets[open];
    return targets.toSorted((one, other) => this.restsUntil(one) - this.restsUntil(other))[0];
  }

  /** True if a target rests or has not been answering since its rest, or if at least half of its recent attempts failed. */
  isFailing(target: TargetOf, now: number): boolean {
    if (this.#restsOf(target).length > 0) return true;
    const recent = this.#targets.get(restId(target))?.outcomes.filter(({ at }) => now - at <= recentMs) ?? [];
    const failures = recent.filter(({ failed }) => failed).length;
    return failures > 0 && 2 * failures >= recent.length;
  }

  /** True if a target has answered an attempt of this process at or after a time. */
  hasAnswered(target: TargetOf, since: number): boolean {
    return (this.#targets.get(restId(target))?.answeredAt ?? 0) >= since;
  }

  /** True while attempts of this process wait for the target to answer. */
  isAwaited(target: TargetOf): boolean {
    return (this.#targets.get(restId(target))?.waiting ?? 0) > 0;
  }

  /** Calls `done` at the target's next outcome in this process, or with false after `longestMs`. */
  follow(target: TargetOf, longestMs: number, done: (hasOutcome: boolean) => void): void {
    const followed = this.#target(restId(target));
    const timer = this.clock.setTimeout(() => {
      followed.followers?.delete(follower);
      done(false);
    }, longestMs);
    const follower = () => {
      this.clock.clearTimeout(timer);
      done(true);
    };
    followed.followers ??= new Set();
    followed.followers.add(follower);
  }

  /** The kind of the error that caused the target's rest; undefined if it does not rest. */
  restError(target: TargetOf): string | undefined {
    return this.#restsOf(target)[0]?.error;
  }

  inFlight(target: TargetOf): number {
    return this.#targets.get(restId(target))?.inFlight ?? 0;
  }

  /**
   * Average time to the first part of an answer in milliseconds. If it was not measured lately, 0, so that a request measures
   * it, and Infinity while one does.
   */
  firstMs(target: TargetOf, kind: AnswerKind, now: number): number {
    const known = this.#targets.get(restId(target));
    const average = known?.first[kind];
    if (average && now - average.at < forgetMs) return average.ms;
    return known && known.waiting > 0 ? Number.POSITIVE_INFINITY : 0;
  }

  /** Begins an attempt; the first one after a rest is its probe. */
  begin(
    route: Route,
    now: number,
    kind: AnswerKind | undefined,
    endsAt = Number.POSITIVE_INFINITY,
  ): TrackedAttempt {
    if (!kind) return untracked;
    const target = this.#target(restId(route));
    const probed = this.#beginProbes(route, now);
    return new RunningAttempt(this, { route, target, kind, began: now, endsAt, probed });
  }

  /** Announces that a request probes the rests of a target that are over; returns their ids. */
  #beginProbes(route: TargetOf, now: number): string[] {
    const due = this.#restsOf(route).filter(rest => now >= rest.until && !isProbed(rest, now));
    for (const rest of due) this.#put({ ...rest, version: Math.max(now, rest.version + 1), probedAt: now });
    return due.map(restId);
  }

  /** Lets another request probe the rests that a probe has not decided on, a moment later. */
  endProbes(ids: readonly string[], began: number): void {
    for (const id of ids) {
      const rest = this.#rests.get(id);
      if (rest?.probedAt !== began) continue;
      this.#put(undecided(rest, this.clock.now()));
    }
  }

  #restsOf({ provider, key, model }: TargetOf): Rest[] {
    if (this.#rests.size === 0) return [];
    const ids = [restId({ provider, ...(key && { key }), model }), restId({ provider, ...(key && { key }) })];
    return ids.flatMap(id => this.#rests.get(id) ?? []).filter(({ until }) => until > 0);
  }

  #target(id: string): Target {
    let target = this.#targets.get(id);
    if (!target) {
      target = { inFlight: 0, waiting: 0, failedInRow: 0, outcomes: [], first: {}, answeredAt: 0 };
      this.#targets.set(id, target);
      if (this.#targets.size > maxTargets) this.#forgetOldest();
    }
    return target;
  }

  #forgetOldest(): void {
    for (const [id, { inFlight }] of this.#targets) {
      if (inFlight > 0) continue;
      this.#targets.delete(id);
      return;
    }
  }

  /** Notes the outcome of an attempt that began at `began`. */
  note(route: TargetOf, target: Target, error: GatewayError | undefined, began: number): void {
    const failure = error && failureOf(error);
    if (failure) return this.#failed(route, target, failure, began);
    if (error && !provesLife(error)) return;
    const now = this.clock.now();
    if (error) this.recovered(route, began, now);
    addOutcome(target, false, now);
  }

  /** Ends the rests of a target that has answered an attempt which began at `began`, after they had begun. */
  recovered(route: TargetOf, began: number, now: number): void {
    for (const rest of this.#restsOf(route)) {
      if (rest.since > began) continue;
      this.#forgetOutcomes(restId(rest), rest);
      const { probedAt: _, ...unprobed } = rest;
      this.#put({ ...unprobed, version: Math.max(now, rest.version + 1), until: 0 });
    }
  }

  /** Forgets the recent failures of a target, or of all targets of a key, whose rest has ended. */
  #forgetOutcomes(id: string, { model }: Rest): void {
    // The id of a target begins with that of its key.
    const ofKey = `${id.slice(0, -1)},`;
    for (const [name, target] of this.#targets)
      if (name === id || (model === undefined && name.startsWith(ofKey))) {
        target.outcomes = [];
        target.failedInRow = 0;
      }
  }

  #failed(route: TargetOf, target: Target, failure: TargetFailure, began: number): void {
    const { provider, key, model } = route;
    const resting = { provider, ...(key && { key }), ...(!failure.ofKey && { model }) };
    const earlier = this.#rests.get(restId(resting));
    // An attempt that began before the last rest says nothing new, unless it asks for more time.
    if (earlier && earlier.since > began && failure.asksMs === undefined) return;
    const now = this.clock.now();
    if (!isResting(earlier)) addOutcome(target, true, now);
    if (failure.asksMs === undefined && !isResting(earlier) && !failsRepeatedly(target)) return;
    const rest = restAfter(failure, earlier, now);
    if (rest) this.#put({ ...resting, ...rest, by: this.#id });
  }

  #put(changed: Rest): void {
    const rest = { ...changed, writtenAt: this.clock.now() };
    const id = restId(rest);
    const rested = (this.#rests.get(id)?.until ?? 0) > 0;
    this.#keep(id, rest);
    this.onRest(rest);
    if (!rested) this.onBegin(rest);
  }

  /** Remembers a change as the newest, and forgets the oldest if there are too many. */
  #keep(id: string, rest: Rest): void {
    this.#rests.delete(id);
    this.#rests.set(id, rest);
    const [oldest] = this.#rests.keys();
    if (this.#rests.size > maxTargets && oldest !== undefined) this.#rests.delete(oldest);
  }
}

function addOutcome(target: Target, failed: boolean, now: number): void {
  const { outcomes } = target;
  target.failedInRow = failed ? target.failedInRow + 1 : 0;
  outcomes.push({ at: now, failed });
  while (outcomes.length > recentAttempts || now - (outcomes[0]?.at ?? now) > recentMs) outcomes.shift();
}

function failsRepeatedly({ failedInRow, outcomes }: Target): boolean {
  const failures = outcomes.filter(({ failed }) => failed).length;
  return failedInRow >= failuresToRest || (failures >= failuresToRest && 2 * failures >= outcomes.length);
}

/** Counts the rests that a process begins, and the further attempts of its requests. */
export function countFailures(health: TargetHealth, metrics: Registry): void {
  const rests = counter(metrics, 'gateway_target_rests_total');
  const attempts = {
    failover: counter(metrics, 'gateway_failovers_total'),
    retry: counter(metrics, 'gateway_retries_total'),
    hedge: counter(metrics, 'gateway_hedges_total'),
    refused: counter(metrics, 'gateway_retries_refused_total'),
  };
  health.onBegin = ({ provider, reason }) => rests.inc({ provider, reason });
  health.retries.onAttempt = kind => attempts[kind].inc();
}
