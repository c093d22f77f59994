import type { Costs } from '../budgets/budget.ts';
import { Counts, type SlidingWindow } from './counts.ts';
import type { Counted } from './limits.ts';
import type { Amounts, Ask, CopiedCount, Decision, Exceeded, Left, LeftOf, PastCount } from './messages.ts';

/** A request that was granted and may still run. */
interface Grant extends Pick<Ask, 'counted' | 'tokens' | 'costs'> {
  /** Time of the grant, in milliseconds. */
  at: number;
}

const unlimited = Number.POSITIVE_INFINITY;

/** Time after which loans may have come back, in milliseconds. */
const shortMs = 1_000;

/** The most keys that are counted before those without a count are dropped. */
const manyKeys = 10_000;

/** Called with the costs of requests of a process that run, and of those that no longer do. */
interface CostEvents {
  reserve(costs: Costs, process: string): void;
  free(costs: Costs, process: string): void;
}

/** Counts requests, tokens and running requests by key. Times are in milliseconds of a clock that does not go back. */
export class Counters {
  readonly #counts = new Map<string, Counts>();
  /** The running requests of each process, by id. */
  readonly #grants = new Map<string, Map<number, Grant>>();
  /** The counts that changed since the copies were told. */
  readonly #changed = new Set<Counts>();
  readonly #costs: CostEvents | undefined;
  #dropAt = manyKeys;

  constructor(costs?: CostEvents) {
    this.#costs = costs;
  }

  /** True if a request of a process is counted. */
  has(process: string, id: number): boolean {
    return this.#grants.get(process)?.has(id) === true;
  }

  /** Returns the running requests of a process. */
  running(process: string): Pick<Ask, 'counted' | 'costs'>[] {
    return [...(this.#grants.get(process)?.values() ?? [])];
  }

  /** Raises what a running request may spend to `amount`, and returns its costs; undefined if it has none. */
  raise(process: string, id: number, amount: number): Costs | undefined {
    const costs = this.#grants.get(process)?.get(id)?.costs;
    if (!costs) return undefined;
    this.#costs?.reserve({ ...costs, amount: amount - costs.amount }, process);
    costs.amount = amount;
    return costs;
  }

  /** Grants a request of a process and counts it, or tells which limit it would exceed and counts nothing. */
  decide(process: string, ask: Ask, now: number): Decision {
    const { id, counted, tokens } = ask;
    for (const limits of counted) {
      const exceeded = this.#exceeded(limits, tokens, now);
      if (exceeded) return { id, exceeded, ...this.#left(counted, now) };
    }
    this.grant(process, ask, now);
    return { id, ...this.#left(counted, now) };
  }

  /** Counts a request that was granted; no effect if it is counted. */
  grant(process: string, ask: Ask, now: number): void {
    if (!this.resume(process, ask, now, now)) return;
    this.spend(ask.counted, { requests: 1, tokens: ask.tokens }, now);
  }

  /** Counts a running request whose amounts the windows hold already. Returns false if it is counted. */
  resume(process: string, { id, counted, tokens, costs }: Ask, at: number, now: number): boolean {
    const grants = this.#grants.get(process) ?? new Map<number, Grant>();
    if (grants.has(id)) return false;
    this.#grants.set(process, grants);
    // The asking process raises the amount of its own copy.
    grants.set(id, { counted, tokens, at, ...(costs && { costs: { ...costs } }) });
    if (costs) this.#costs?.reserve(costs, process);
    for (const { key, concurrency } of counted)
      if (concurrency !== undefined) this.#countsOf(key, now).running++;
    return true;
  }

  /** Ends a request. `used`: the tokens that it really used; the estimate stays if that is unknown. `refused`: it counts for nothing. */
  end(process: string, id: number, used: number | undefined, now: number, refused = false): void {
    const grants = this.#grants.get(process);
    const grant = grants?.get(id);
    if (!grants || !grant) return;
    grants.delete(id);
    if (grants.size === 0) this.#grants.delete(process);
    if (grant.costs) this.#costs?.free(grant.costs, process);
    const difference = used === undefined ? 0 : used - grant.tokens;
    for (const { key, requestsPerMinute, tokensPerMinute, concurrency } of grant.counted) {
      const counts = this.#changing(key, now);
      if (refused && requestsPerMinute !== undefined) counts.add('requests', -1, grant.at, now);
      if (concurrency !== undefined) counts.running--;
      if (difference !== 0 && tokensPerMinute !== undefined) counts.add('tokens', difference, grant.at, now);
    }
  }

  /** Counts a running request from now on, since it could not be served before. */
  delay(process: string, id: number, now: number): void {
    const grant = this.#grants.get(process)?.get(id);
    if (!grant) return;
    for (const { key, requestsPerMinute, tokensPerMinute } of grant.counted) {
      const counts = this.#changing(key, now);
      if (requestsPerMinute !== undefined) counts.move('requests', 1, grant.at, now);
      if (tokensPerMinute !== undefined) counts.move('tokens', grant.tokens, grant.at, now);
    }
    grant.at = now;
  }

  /** Ends the requests of a process that are not in `running` and were granted before `before`. */
  keepOnly(process: string, running: ReadonlySet<number>, before: number, now: number): void {
    for (const [id, { at }] of this.#grants.get(process) ?? [])
      if (!running.has(id) && at < before) this.end(process, id, undefined, now);
  }

  /** Returns those ids of a process's running requests that are not counted. */
  unknown(process: string, running: readonly number[]): number[] {
    const grants = this.#grants.get(process);
    return grants ? running.filter(id => !grants.has(id)) : [...running];
  }

  /** Ends all requests of a process. */
  endAll(process: string, now: number): void {
    for (const id of [...(this.#grants.get(process)?.keys() ?? [])]) this.end(process, id, undefined, now);
  }

  /** Returns what is left of limits, for each. */
  left(counted: readonly Counted[], now: number): LeftOf[] {
    return counted.map(limits => {
      const { key, concurrency } = limits;
      return {
        ...this.#left([limits], now),
        ...(concurrency !== undefined && { running: this.#countsOf(key, now).running }),
      };
    });
  }

  /** Returns how much of each kind fits under all the limits; infinite where none applies. */
  room(counted: readonly Counted[], now: number): Amounts {
    const room: Amounts = { requests: unlimited, tokens: unlimited, running: unlimited };
    for (const { key, requestsPerMinute, tokensPerMinute, concurrency } of counted) {
      const counts = this.#countsOf(key, now);
      const fit = (kind: keyof Amounts, limit: number, used: number) => {
        room[kind] = Math.min(room[kind], limit - used - counts.lent[kind]);
      };
      if (requestsPerMinute !== undefined) fit('requests', requestsPerMinute, counts.requests.sum(now));
      if (tokensPerMinute !== undefined) fit('tokens', tokensPerMinute, counts.tokens.sum(now));
      if (concurrency !== undefined) fit('running', concurrency, counts.running);
    }
    return room;
  }

  /** Adds to the amounts that are lent, which count until they are taken off. */
  lend(counted: readonly Counted[], amounts: Amounts, now: number): void {
    for (const { key } of counted) {
      const counts = this.#changing(key, now);
      for (const kind of ['requests', 'tokens', 'running'] as const) counts.lent[kind] += amounts[kind];
    }
  }

  /** Counts amounts as used now. */
  spend(counted: readonly Counted[], { requests, tokens }: Omit<Amounts, 'running'>, now: number): void {
    for (const { key, requestsPerMinute, tokensPerMinute } of counted) {
      const counts = this.#changing(key, now);
      if (requestsPerMinute !== undefined) counts.add('requests', requests, now, now);
      if (tokensPerMinute !== undefined) counts.add('tokens', tokens, now, now);
    }
  }

  /** Adds the amounts that other windows hold. */
  addPast(past: readonly PastCount[], now: number): void {
    for (const { key, requests, tokens } of past) {
      const counts = this.#changing(key, now);
      for (const [amount, ageMs] of requests) counts.add('requests', amount, now - ageMs, now);
      for (const [amount, ageMs] of tokens) counts.add('tokens', amount, now - ageMs, now);
    }
  }

  /** Returns what the windows hold. */
  past(now: number): PastCount[] {
    return [...this.#counts].flatMap(([key, counts]) =>
      counts.isEmpty(now) ? [] : { key, ...counts.past(now) },
    );
  }

  /** True if copies count at least what was granted and lent of these limits. */
  isTold(counted: readonly Counted[], now: number): boolean {
    for (const limits of counted) if (!this.#countsOf(limits.key, now).isTold(limits)) return false;
    return true;
  }

  /** Returns what copies do not know of these limits, and may count ahead. */
  tellAhead(counted: readonly Counted[], now: number): CopiedCount[] {
    const untold = counted.filter(limits => !this.#countsOf(limits.key, now).isTold(limits));
    return untold.map(limits => this.#countsOf(limits.key, now).tellAhead(limits, now));
  }

  /** Returns what has changed since copies were told of it; nothing counts ahead. */
  tellChanges(now: number): CopiedCount[] {
    const told = [...this.#changed].map(counts => counts.tell(now));
    this.#changed.clear();
    return told;
  }

  /** Returns everything for a new copy. */
  tellAll(now: number): CopiedCount[] {
    this.#changed.clear();
    return [...this.#counts.values()].map(counts => counts.tell(now, 0));
  }

  #exceeded(
    { key, requestsPerMinute, tokensPerMinute, concurrency }: Counted,
    tokens: number,
    now: number,
  ): Exceeded | undefined {
    const counts = this.#countsOf(key, now);
    const { lent } = counts;
    const over = (limit: Exceeded['limit'], value: number, waitMs: number | undefined): Exceeded => ({
      key,
      limit,
      value,
      ...(waitMs !== undefined && { waitMs }),
    });
    const wait = (window: SlidingWindow, amount: number, lent: number, limit: number) => {
      const waitMs = window.waitMs(amount + lent, limit, now);
      return waitMs === undefined && amount <= limit ? shortMs : waitMs;
    };
    if (requestsPerMinute !== undefined) {
      const waitMs = wait(counts.requests, 1, lent.requests, requestsPerMinute);
      if (waitMs !== 0) return over('requestsPerMinute', requestsPerMinute, waitMs);
    }
    if (tokensPerMinute !== undefined) {
      const waitMs = wait(counts.tokens, tokens, lent.tokens, tokensPerMinute);
      if (waitMs !== 0) return over('tokensPerMinute', tokensPerMinute, waitMs);
    }
    if (concurrency !== undefined && counts.running + lent.running >= concurrency)
      return over('concurrency', concurrency, undefined);
    return undefined;
  }

  /** Returns the nearest limit of requests, and that of tokens. */
  #left(counted: readonly Counted[], now: number): Pick<Decision, 'requests' | 'tokens'> {
    let requests: Left | undefined;
    let tokens: Left | undefined;
    for (const { key, requestsPerMinute, tokensPerMinute } of counted) {
      const counts = this.#countsOf(key, now);
      if (requestsPerMinute !== undefined)
        requests = nearer(requests, leftOf(counts.requests, requestsPerMinute, now));
      if (tokensPerMinute !== undefined) tokens = nearer(tokens, leftOf(counts.tokens, tokensPerMinute, now));
    }
    return { ...(requests && { requests }), ...(tokens && { tokens }) };
  }

  #countsOf(key: string, now: number): Counts {
    let counts = this.#counts.get(key);
    if (!counts) {
      if (this.#counts.size >= this.#dropAt) this.#dropEmpty(now);
      counts = new Counts(key);
      this.#counts.set(key, counts);
    }
    return counts;
  }

  /** Returns the counts of a key, of which copies must hear. */
  #changing(key: string, now: number): Counts {
    const counts = this.#countsOf(key, now);
    this.#changed.add(counts);
    return counts;
  }

  #dropEmpty(now: number): void {
    for (const [key, counts] of this.#counts) {
      if (!counts.isEmpty(now)) continue;
      this.#counts.delete(key);
      this.#changed.delete(counts);
    }
    this.#dropAt = Math.max(manyKeys, 2 * this.#counts.size);
  }
}

function leftOf(window: SlidingWindow, limit: number, now: number): Left {
  const remaining = Math.max(0, limit - window.sum(now));
  return { limit, remaining, resetMs: Math.max(0, window.waitMs(limit, limit, now) ?? 0) };
}

function nearer(a: Left | undefined, b: Left): Left {
  return a && a.remaining <= b.remaining ? a : b;
}
