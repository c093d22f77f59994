import type { GatewayError, Route } from '@model-gateway/canonical';
import { type Rest, restId } from '@model-gateway/catalog';
import { RetryBudget } from './retry-budget.ts';

/** Time for which a target that fails repeatedly rests, in milliseconds. Then one request at a time probes it. */
export const restMs = 5_000;
/** Time for which a key that its upstream refused rests, in milliseconds. */
export const refusedKeyMs = 30_000;
/** A target rests after this many failures in a row, or if they are at least half of its recent attempts. */
export const failuresToRest = 3;
/** Recent attempts: at most this many, of at most this many milliseconds. */
const recentAttempts = 20;
const recentMs = 30_000;
/** Time for which the other processes leave the first probe to the one that put a target to rest, in milliseconds. */
export const probeGraceMs = 1_000;
/** Time after which another request may probe although the first probe has not ended, in milliseconds. */
export const longestProbeMs = 30_000;
/** Weight of the latest time to the first token in the average of a target. */
const latestWeight = 0.3;
/** Age at which an average is forgotten, in milliseconds, so that a target that was slow once is tried again. */
const forgetMs = 60_000;
/** The most targets remembered. A model with a `*` can have any number of them. */
const maxTargets = 10_000;

type TargetOf = Pick<Route, 'provider' | 'key' | 'model'>;

/** The recent past of one target, as this process saw it. */
interface Target {
  inFlight: number;
  /** Outcomes of recent attempts, the oldest first. */
  outcomes: { at: number; failed: boolean }[];
  /** Average time to the first token, in milliseconds. */
  firstMs?: number;
  measuredAt: number;
}

/** An attempt at a target, from its beginning to its end. */
export interface TrackedAttempt {
  /** Records that the upstream has begun to answer. `queuedMs` is the time that the attempt waited for a worker. */
  began(queuedMs?: number): void;
  /** Ends the attempt: with the error if it failed, without one if it was answered. */
  ended(error?: GatewayError): void;
  /** Ends the attempt without an outcome, since the client left. */
  left(): void;
}

/** Knows which targets fail, how busy they are, and how fast they answer. */
export class TargetHealth {
  readonly #id: string;
  readonly #targets = new Map<string, Target>();
  readonly #rests = new Map<string, Rest>();
  /** The rests that a request of this process probes, each with the time at which that began. */
  readonly #probed = new Map<string, number>();
  /** Bounds how often failed requests are sent again. */
  readonly retries = new RetryBudget();
  /** Called with each rest that begins, is extended, or ends. */
  onRest: (rest: Rest) => void = () => {};
  /** Called with each rest that this process begins. */
  onBegin: (rest: Rest) => void = () => {};

  /** `id` names this process among all. */
  constructor(id = '') {
    this.#id = id;
  }

  /** Takes a change that another process made. */
  read(rest: Rest): void {
    const id = restId(rest);
    if ((this.#rests.get(id)?.version ?? 0) >= rest.version) return;
    this.#keep(id, rest);
    if (rest.until === 0) this.#forgetOutcomes(id, rest);
  }

  forget(id: string): void {
    this.#rests.delete(id);
  }

  /** Every target and key that rests, or waits for its probe. */
  resting(): Rest[] {
    return [...this.#rests.values()].filter(({ until }) => until > 0);
  }

  /** True if a request may take the target: it does not rest, or nobody probes it although its rest is over. */
  isOpen(target: TargetOf, now: number): boolean {
    return this.#restsOf(target).every(rest => {
      const probeAt = rest.by === this.#id ? rest.until : rest.until + probeGraceMs;
      return now >= probeAt && !this.#isProbed(restId(rest), now);
    });
  }

  /** Time in milliseconds since 1970 at which the target's rest ends; 0 if it does not rest. */
  restsUntil(target: TargetOf): number {
    return Math.max(0, ...this.#restsOf(target).map(({ until }) => until));
  }

  /** The kind of the error that caused the target's rest; undefined if it does not rest. */
  restError(target: TargetOf): string | undefined {
    return this.#restsOf(target)[0]?.error;
  }

  inFlight(target: TargetOf): number {
    return this.#targets.get(restId(target))?.inFlight ?? 0;
  }

  /**
   * Average time to the first token in milliseconds. If it was not measured lately, 0, so that a request measures it, and
   * Infinity while one does.
   */
  firstMs(target: TargetOf, now: number): number {
    const { firstMs = 0, measuredAt = 0, inFlight = 0 } = this.#targets.get(restId(target)) ?? {};
    if (now - measuredAt < forgetMs) return firstMs;
    return inFlight > 0 ? Number.POSITIVE_INFINITY : 0;
  }

  /** Begins an attempt; the first one after a rest is its probe. */
  begin(route: TargetOf, now: number): TrackedAttempt {
    const target = this.#target(restId(route));
    target.inFlight++;
    const probed = this.#restsOf(route)
      .map(restId)
      .filter(id => !this.#isProbed(id, now));
    for (const id of probed) this.#probed.set(id, now);
    let over = false;
    const end = () => {
      if (over) return false;
      over = true;
      target.inFlight--;
      for (const id of probed) if (this.#probed.get(id) === now) this.#probed.delete(id);
      return true;
    };
    let begun = false;
    const began = (queuedMs = 0) => {
      if (begun) return;
      begun = true;
      const at = Date.now();
      this.#measured(target, at - now - queuedMs, at);
      this.#recovered(route, now, at);
    };
    return {
      began,
      left: () => void end(),
      ended: error => {
        if (!end()) return;
        const failure = error && failureOf(error);
        if (failure) this.#failed(route, target, failure, now);
        else if (!error || provesLife(error)) {
          // The time of an error says nothing about the time to the first token.
          if (error) this.#recovered(route, now, Date.now());
          else began();
          this.#note(target, false);
        }
      },
    };
  }

  /** True while a request probes the rest, and has not taken too long for it. */
  #isProbed(id: string, now: number): boolean {
    return now - (this.#probed.get(id) ?? Number.NEGATIVE_INFINITY) < longestProbeMs;
  }

  #restsOf({ provider, key, model }: TargetOf): Rest[] {
    if (this.#rests.size === 0) return [];
    const ids = [restId({ provider, ...(key && { key }), model }), restId({ provider, ...(key && { key }) })];
    return ids.flatMap(id => this.#rests.get(id) ?? []).filter(({ until }) => until > 0);
  }

  #target(id: string): Target {
    let target = this.#targets.get(id);
    if (!target) {
      target = { inFlight: 0, outcomes: [], measuredAt: 0 };
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

  #measured(target: Target, ms: number, now: number): void {
    const fresh = target.firstMs !== undefined && now - target.measuredAt < forgetMs;
    target.firstMs = fresh ? ms * latestWeight + (target.firstMs as number) * (1 - latestWeight) : ms;
    target.measuredAt = now;
  }

  #note({ outcomes }: Target, failed: boolean): void {
    const now = Date.now();
    outcomes.push({ at: now, failed });
    while (outcomes.length > recentAttempts || now - (outcomes[0]?.at ?? now) > recentMs) outcomes.shift();
  }

  /** Ends the rests of a target that has answered an attempt which began at `began`, after they had begun. */
  #recovered(route: TargetOf, began: number, now: number): void {
    for (const rest of this.#restsOf(route)) {
      if (rest.since > began) continue;
      this.#forgetOutcomes(restId(rest), rest);
      this.#put({ ...rest, version: Math.max(now, rest.version + 1), until: 0 });
    }
  }

  /** Forgets the recent failures of a target, or of all targets of a key, whose rest has ended. */
  #forgetOutcomes(id: string, { model }: Rest): void {
    // The id of a target begins with that of its key.
    const ofKey = `${id.slice(0, -1)},`;
    for (const [name, target] of this.#targets)
      if (name === id || (model === undefined && name.startsWith(ofKey))) target.outcomes = [];
  }

  #failed(route: TargetOf, target: Target, { ofKey, asksMs, error }: Failed, began: number): void {
    const { provider, key, model } = route;
    const rest = { provider, ...(key && { key }), ...(!ofKey && { model }) };
    const earlier = this.#rests.get(restId(rest));
    const resting = earlier !== undefined && earlier.until > 0;
    if (!resting) this.#note(target, true);
    // An attempt that began before the rest says nothing new, unless it asks for more time.
    if (resting && earlier.since > began && asksMs === undefined) return;
    if (asksMs === undefined && !resting && !failsRepeatedly(target)) return;
    const now = Date.now();
    this.#put({
      ...rest,
      version: Math.max(now, (earlier?.version ?? 0) + 1),
      reason: ofKey ? 'refused-key' : asksMs === undefined ? 'failures' : 'asked',
      error,
      since: resting ? earlier.since : now,
      until: Math.max(now + (asksMs ?? restMs), resting ? earlier.until : 0),
      by: this.#id,
    });
  }

  #put(rest: Rest): void {
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

function failsRepeatedly({ outcomes }: Target): boolean {
  const failures = outcomes.filter(({ failed }) => failed).length;
  const inRow = outcomes.slice(-failuresToRest).every(({ failed }) => failed);
  return failures >= failuresToRest && (inRow || 2 * failures >= outcomes.length);
}

/** A failure that says something about its target. */
interface Failed {
  /** True if the upstream refused the key, for whatever model. */
  ofKey: boolean;
  /** Time for which the target must rest, in milliseconds, if the failure says so. */
  asksMs?: number;
  error: string;
}

/**
 * Kinds of errors of an upstream that another attempt at the same target would probably meet again. An unknown model is not
 * one: with a `*`, clients choose the names.
 */
const failing: ReadonlySet<string> = new Set([
  'rate-limited',
  'quota-exceeded',
  'overloaded',
  'timeout',
  'upstream',
]);

/** The kinds of failures whose `retry-after` is a rest for the target. */
const asking: ReadonlySet<string> = new Set(['rate-limited', 'quota-exceeded', 'overloaded']);

/** Returns the failure of a target; undefined for an error that is not the upstream's, or that the request caused. */
function failureOf({ kind, details }: GatewayError): Failed | undefined {
  const { upstream, refusedKey = false, retryAfterMs } = details;
  if (!upstream || !failing.has(kind)) return undefined;
  const askedMs = asking.has(kind) && retryAfterMs ? retryAfterMs : undefined;
  const asksMs = refusedKey ? refusedKeyMs : askedMs;
  return { ofKey: refusedKey, ...(asksMs !== undefined && { asksMs }), error: kind };
}

/** True for an upstream's answer that refuses the request, and not because of its own state. */
function provesLife({ details }: GatewayError): boolean {
  return details.upstream?.status !== undefined;
}
