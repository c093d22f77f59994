/** The spending of one budget in one period, as the process that counts knows it. Amounts are in US dollars. */
export class Account {
  readonly key: string;
  /** Start of the period, in milliseconds since 1970. */
  readonly from: number;
  /** The sum of the ledger; undefined until it is known. */
  settled: number | undefined;
  /** The costs of attempts that may not be in the ledger yet, by the attempt's id. */
  readonly #pending = new Map<string, Pending>();
  /** When the ledger was found to have an attempt, by its id, in milliseconds of the monotonic clock: its cost may be told again. */
  readonly #recorded = new Map<string, number>();
  #unsettled = 0;
  /** The part of the last growth of `settled` that no known attempt explains: its cost is told late, or never. */
  #unexplained = 0;
  #reserved = 0;
  /** The parts of `#reserved` for the requests of each token, by its id. */
  readonly #byToken = new Map<string, number>();
  /** The part of `#unsettled` that is estimated. */
  #estimated = 0;
  /** The part of `#reserved` for requests of the counting process itself. */
  #own = 0;
  /** The amount that the process that counted before had reserved for its own requests, and the end of that, in milliseconds of the monotonic clock. */
  #before = { amount: 0, until: 0 };
  /** When it was last used, and last read from the ledger, in milliseconds of the monotonic clock. */
  usedAt = 0;
  readAt = Number.NEGATIVE_INFINITY;
  /** True if its last snapshot is out of date. */
  changed = false;
  /** When that was stored, in milliseconds of the monotonic clock. */
  keptAt = Number.NEGATIVE_INFINITY;

  constructor(key: string, from: number) {
    this.key = key;
    this.from = from;
  }

  get spent(): number {
    return (this.settled ?? 0) + positive(this.#unsettled - this.#estimated);
  }

  /** Reserved by requests that run, and by those that have ended with an unknown usage. */
  reserved(now: number): number {
    const before = now < this.#before.until ? this.#before.amount : 0;
    return this.#reserved + this.#estimated + before;
  }

  /** Reserved by running requests of a token, and by those of others. */
  reservedBeside(token: string): { own: number; others: number } {
    const own = this.#byToken.get(token) ?? 0;
    return { own, others: positive(this.#reserved - own) };
  }

  get pending(): IterableIterator<string> {
    return this.#pending.keys();
  }

  /** Takes over the costs that another account of the same owner has and the ledger does not, as far as they are of this period. */
  addPendingOf(other: Account): void {
    for (const [attempt, pending] of other.#pending)
      if (!(timeOf(attempt) < this.from)) this.addPending(attempt, pending);
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Reserves an amount for a token, or frees a negative one. `isOwn`: for a request of the counting process itself. */
  reserve(amount: number, isOwn: boolean, token = ''): void {
    this.#reserved = positive(this.#reserved + amount);
    const ofToken = positive((this.#byToken.get(token) ?? 0) + amount);
    if (ofToken > 0) this.#byToken.set(token, ofToken);
    else this.#byToken.delete(token);
    if (!isOwn) return;
    this.#own = positive(this.#own + amount);
    this.changed = true;
  }

  /** Holds what a lost process had reserved for its own requests. `until`: in milliseconds of the monotonic clock. */
  holdOwnOf({ own = 0 }: Snapshot, until: number): void {
    this.#before = { amount: own, until };
  }

  /**
   * Counts the cost of an attempt until the ledger has it; no effect if it is counted. What is unexplained in the ledger's sum is taken for this
   * attempt; the next reading shows whether it was.
   */
  addPending(attempt: string, pending: Pending): void {
    if (this.#pending.has(attempt) || this.#recorded.has(attempt)) return;
    const late = Math.min(pending.cost, this.#unexplained);
    this.#unexplained -= late;
    if (this.settled !== undefined) this.settled -= late;
    this.#pending.set(attempt, pending);
    this.#unsettled += pending.cost;
    if (pending.estimated) this.#estimated += pending.cost;
    this.changed = true;
  }

  /** Takes over the ledger's sum, unless a later one is known. */
  read(sum: number, { asked, recorded, askedAt, lostBefore }: Reading): void {
    if (askedAt < this.readAt) return;
    this.readAt = askedAt;
    const unasked = this.#pendingSum(attempt => !asked.has(attempt));
    const told = this.#pendingSum((attempt, { estimated }) => !estimated && recorded.has(attempt));
    const known = (this.settled ?? 0) + told;
    // The ledger has at most what was estimated.
    const estimates = this.#pendingSum((attempt, { estimated }) => !!estimated && recorded.has(attempt));
    const explained = this.settled === undefined ? 0 : known + Math.min(estimates, positive(sum - known));
    // The sum may hold some of those attempts that ended while it was read, all or none.
    const settled = unasked === 0 ? sum : Math.max(explained, sum - unasked);
    this.#unexplained = this.settled === undefined ? 0 : positive(settled - explained);
    this.changed ||= settled !== this.settled;
    this.settled = settled;
    for (const [attempt, { cost, at, estimated }] of this.#pending) {
      if (!recorded.has(attempt) && at >= lostBefore) continue;
      this.#pending.delete(attempt);
      this.#recorded.set(attempt, askedAt);
      const isLast = this.#pending.size === 0;
      this.#unsettled = isLast ? 0 : positive(this.#unsettled - cost);
      if (estimated || isLast) this.#estimated = isLast ? 0 : positive(this.#estimated - cost);
      this.changed = true;
    }
  }

  #pendingSum(isMeant: (attempt: string, pending: Pending) => boolean): number {
    let sum = 0;
    for (const [attempt, pending] of this.#pending) if (isMeant(attempt, pending)) sum += pending.cost;
    return sum;
  }

  /** Forgets recorded attempts whose costs are not told any more. */
  sweep(now: number): void {
    for (const [attempt, at] of this.#recorded) {
      if (now - at <= toldMs) return;
      this.#recorded.delete(attempt);
    }
  }

  get snapshot(): Snapshot {
    const pending = [...this.#pending].map(([id, { cost }]): [string, number] => [id, cost]);
    const listed = pending.slice(-mostListed);
    const listedSum = listed.reduce((sum, [, cost]) => sum + cost, 0);
    const more = pending.length > listed.length ? positive(this.#unsettled - listedSum) : 0;
    return { settled: (this.settled ?? 0) + more, pending: listed, own: this.#own };
  }

  /** Takes over the costs that the ledger did not have when a snapshot was stored. */
  takePending({ pending }: Snapshot, now: number): void {
    for (const [attempt, cost] of pending) this.addPending(attempt, { cost, at: now });
  }
}

/** The cost of an attempt that may not be in the ledger yet. */
interface Pending {
  cost: number;
  /** When it ended, in milliseconds of the monotonic clock. */
  at: number;
  /** True if the cost is only what was reserved. */
  estimated?: true | undefined;
}

/** The state of the ledger when it was read. Times are in milliseconds of the monotonic clock. */
interface Reading {
  /** Attempts that the ledger was asked for. */
  asked: ReadonlySet<string>;
  /** Those of them that are in the sum. */
  recorded: ReadonlySet<string>;
  askedAt: number;
  /** Attempts that ended before and are not in the ledger will never be. */
  lostBefore: number;
}

/** The state of an account, which outlives the process that counts. */
export interface Snapshot {
  settled: number;
  pending: [attempt: string, cost: number][];
  /** Reserved for running requests of the process that stored it. */
  own?: number;
}

/** Time for which the cost of an attempt may be told again once the ledger has it, in milliseconds. */
const toldMs = 20_000;

/** The most attempts in a snapshot. The costs of older ones are in its sum. */
const mostListed = 1_000;

/** Returns the start of an attempt, in milliseconds since 1970: its id is a UUIDv7. */
function timeOf(attempt: string): number {
  return Number.parseInt(attempt.slice(0, 8) + attempt.slice(9, 13), 16);
}

/** Sums of fractions may differ from 0 by a rounding. */
function positive(amount: number): number {
  return amount < 1e-12 ? 0 : amount;
}
