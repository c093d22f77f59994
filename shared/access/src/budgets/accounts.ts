import { type Candidate, type Questions, lostMs as silentLostMs } from '@model-gateway/bus';
import type { Clock } from '@model-gateway/clock';
import { Account, type Snapshot } from './account.ts';
import {
  type Charged,
  type Costs,
  isShared,
  type Overspent,
  type Settlement,
  type SpendingAnswer,
  type SpendingQuestion,
} from './budget.ts';

/** The slots that know what was spent. */
interface SpendingSource {
  /** Asks the ledger. @throws Error if it does not answer */
  ask(question: SpendingQuestion): Promise<SpendingAnswer>;
  /** Stores a snapshot of an account. */
  keep(account: string, snapshot: Snapshot): Promise<void>;
  /** Returns the last snapshot of an account; undefined if there is none. */
  kept(account: string): Promise<Snapshot | undefined>;
}

/** The most accounts and attempts of one question. */
const mostAsked = { accounts: 500, attempts: 10_000 };
/** The most snapshots that are stored at once. */
const mostSnapshots = 50;
/** Time after which an account that requests use is read again though nothing was settled, in milliseconds. */
const readAgainMs = 5_000;
/** Time since its last use for which an account is read again, and after which it is dropped, in milliseconds. */
const freshMs = 60_000;
const dropMs = 600_000;
/** Time after which an attempt that the ledger does not have never comes, and how late the ledger may be then, in milliseconds. */
const lostMs = 300_000;
const lateMs = 60_000;
/** Time for which an account whose spending cannot be known is not asked for again, in milliseconds. */
const unknownMs = 1_000;
/** Time after the loss of the process that counted before in which its calls end and the ledger has their costs, in milliseconds. It may be silent and live. */
const afterLossMs = silentLostMs + 5_000;
/** The part of a shared budget that the requests of one token may reserve while those of other tokens run. */
export const tokenPart = 1 / 4;
/** An amount that is no more than a rounding, in US dollars. */
const tiny = 1e-9;

/** The accounts of all budgets that requests use: what the ledger says, and what it does not have yet. */
export class Accounts {
  readonly #source: SpendingSource;
  readonly #clock: Clock;
  readonly #accounts = new Map<string, Account>();
  /** The accounts of each owner, one for each period. */
  readonly #byOwner = new Map<string, Account[]>();
  /** The accounts that are being read for the first time. */
  #loading: Promise<void> | undefined;
  readonly #unknownSince = new WeakMap<Account, number>();
  #refreshing = false;
  /** Until when accounts hold what a lost process had reserved, in milliseconds of the monotonic clock. */
  readonly #afterLossUntil: number;

  /** `afterLoss`: true if a process may have counted before that was lost. */
  constructor(source: SpendingSource, clock: Clock, afterLoss = false) {
    this.#source = source;
    this.#clock = clock;
    this.#afterLossUntil = afterLoss ? clock.monotonic() + afterLossMs : 0;
  }

  /** Reads the accounts that are not known yet; undefined if all are known. Rejects never. */
  load(budgets: readonly Charged[]): Promise<void> | undefined {
    const now = this.#clock.monotonic();
    const accounts = budgets.map(budget => this.#of(budget, now));
    const missing = accounts.some(
      account =>
        account.settled === undefined && now - (this.#unknownSince.get(account) ?? -unknownMs) >= unknownMs,
    );
    if (!missing) return undefined;
    // Those that come until the next turn of the event loop are read together.
    this.#loading ??= new Promise(resolve => setImmediate(resolve)).then(() => this.#loadAll());
    return this.#loading;
  }

  /** True if it is known what was spent of these budgets. */
  knows(budgets: readonly Charged[]): boolean {
    return budgets.every(budget => this.#of(budget).settled !== undefined);
  }

  /**
   * Returns the first budget in which an amount does not fit beside what running requests have reserved; undefined if there is none.
   * While nothing is reserved and something is left, any amount fits: a budget can be spent to its end.
   */
  refusing(costs: Costs): Overspent | undefined {
    const { budgets, amount } = costs;
    const isOver = (left: number, reserved: number) =>
      left < tiny || (reserved > tiny && amount > left + tiny);
    return this.#first(budgets, isOver) ?? this.#keptForOthers(costs);
  }

  /** Returns the first shared budget of which a token would reserve more than its part while other tokens have reserved some of it; undefined if there is none. */
  #keptForOthers({ budgets, amount, token }: Costs): Overspent | undefined {
    const found = budgets.find(budget => {
      const { own, others } = this.#of(budget).reservedBeside(token);
      return others > tiny && own + amount > budget.amount * tokenPart + tiny && isShared(budget);
    });
    return found && { ...found, spent: this.spent(found), ofOthers: true };
  }

  /** Returns the costs of a granted request as they are reserved: one that can reserve more while it runs takes no more than is left. */
  fitted(costs: Costs): Costs {
    if (!costs.grows) return costs;
    const now = this.#clock.monotonic();
    const left = costs.budgets.map(budget => this.#leftOf(budget, now));
    const amount = Math.min(costs.amount, ...left);
    return amount < costs.amount ? { ...costs, amount: Math.max(0, amount) } : costs;
  }

  /**
   * Returns the first budget that ends streams and of which nothing is left beside a running request; undefined if there is none. What
   * it has cost so far counts as spent.
   */
  overspent({ budgets, amount }: Costs): Overspent | undefined {
    const over = this.#first(
      budgets.filter(({ endsStreams }) => endsStreams),
      left => left < tiny,
    );
    return over && { ...over, spent: over.spent + amount };
  }

  #leftOf(budget: Charged, now: number): number {
    const account = this.#of(budget);
    return budget.amount - account.spent - account.reserved(now);
  }

  #first(
    budgets: readonly Charged[],
    isMeant: (left: number, reserved: number) => boolean,
  ): Overspent | undefined {
    const now = this.#clock.monotonic();
    const found = budgets.find(budget => isMeant(this.#leftOf(budget, now), this.#of(budget).reserved(now)));
    return found && { ...found, spent: this.spent(found) };
  }

  /** Returns the amount that was spent in the period of a budget, in US dollars. */
  spent(budget: Charged): number {
    return this.#of(budget).spent;
  }

  /** Returns the amounts that were spent and are reserved in the period of a budget, in US dollars. */
  state(budget: Charged): { spent: number; reserved: number } {
    const account = this.#of(budget);
    return { spent: account.spent, reserved: account.reserved(this.#clock.monotonic()) };
  }

  /** `isOwn`: for a request of the counting process itself. */
  reserve({ budgets, amount, token }: Costs, isOwn: boolean): void {
    for (const budget of budgets) this.#of(budget).reserve(amount, isOwn, token);
  }

  free({ budgets, amount, token }: Costs, isOwn: boolean): void {
    for (const budget of budgets) this.#of(budget).reserve(-amount, isOwn, token);
  }

  /** Returns what was spent of the budgets of running requests that end streams. */
  spendingOf(running: readonly Costs[]): Pick<Overspent, 'key' | 'from' | 'spent'>[] {
    const ending = running.flatMap(({ budgets }) => budgets.filter(({ endsStreams }) => endsStreams));
    const byKey = new Map(ending.map(budget => [`${budget.from} ${budget.key}`, budget]));
    return [...byKey.values()].map(budget => ({
      key: budget.key,
      from: budget.from,
      spent: this.spent(budget),
    }));
  }

  /** Counts the cost of an ended request until the ledger has its attempts. */
  settle({ budgets, cost, estimated, attempts }: Settlement): void {
    const now = this.#clock.monotonic();
    for (const budget of budgets)
      for (const attempt of attempts)
        this.#of(budget, now).addPending(attempt, { cost: cost / attempts.length, at: now, estimated });
  }

  /** Reads what is due from the ledger, and stores snapshots of what has changed. */
  async refresh(): Promise<void> {
    if (this.#refreshing) return;
    this.#refreshing = true;
    try {
      await this.#read(this.#due(this.#clock.monotonic()));
    } catch {
      // It is asked again a second later; until then pending costs count.
    } finally {
      this.#refreshing = false;
    }
    await this.#storeSnapshots();
  }

  async #loadAll(): Promise<void> {
    this.#loading = undefined;
    const missing = [...this.#accounts.values()].filter(({ settled }) => settled === undefined);
    for (let at = 0; at < missing.length; at += mostAsked.accounts) {
      const part = missing.slice(at, at + mostAsked.accounts);
      const snapshots = await this.#takeSnapshots(part);
      await this.#read(part).catch(() => this.#restore(part, snapshots));
    }
  }

  /** Takes over what the ledger may not have yet, since it may be behind. Returns the snapshots of the accounts. */
  async #takeSnapshots(accounts: readonly Account[]): Promise<(Snapshot | undefined)[]> {
    return Promise.all(
      accounts.map(async account => {
        const snapshot = await this.#source.kept(idOf(account)).catch(() => undefined);
        const now = this.#clock.monotonic();
        if (snapshot) account.takePending(snapshot, now);
        if (snapshot) account.holdOwnOf(snapshot, this.#afterLossUntil);
        return snapshot;
      }),
    );
  }

  #restore(accounts: readonly Account[], snapshots: readonly (Snapshot | undefined)[]): void {
    for (const [i, account] of accounts.entries()) {
      const { settled } = snapshots[i] ?? {};
      if (settled === undefined) this.#unknownSince.set(account, this.#clock.monotonic());
      else account.settled ??= settled;
    }
  }

  async #read(accounts: readonly Account[]): Promise<void> {
    if (accounts.length === 0) return;
    const asked = new Set<string>();
    for (const account of accounts)
      for (const attempt of account.pending) if (asked.size < mostAsked.attempts) asked.add(attempt);
    const totals = accounts.map(({ key, from }) => ({ key, from }));
    const askedAt = this.#clock.monotonic();
    const { spent, recorded, lagMs } = await this.#source.ask({ totals, attempts: [...asked] });
    const lostBefore = lagMs < lateMs ? askedAt - lostMs : Number.NEGATIVE_INFINITY;
    const known = new Set(recorded);
    for (const [i, account] of accounts.entries())
      account.read(spent[i] ?? 0, { asked, recorded: known, askedAt, lostBefore });
  }

  /** Returns the accounts to read now, the longest unread first; drops those that nobody uses. */
  #due(now: number): Account[] {
    const due: Account[] = [];
    for (const [id, account] of this.#accounts) {
      account.sweep(now);
      const isUsed = account.pendingCount > 0 || account.reserved(now) > 0;
      const unusedMs = now - account.usedAt;
      if (!isUsed && unusedMs > dropMs) this.#drop(id, account);
      else if (isUsed || (unusedMs <= freshMs && now - account.readAt >= readAgainMs)) due.push(account);
    }
    due.sort((a, b) => a.readAt - b.readAt);
    let attempts = 0;
    return due.slice(0, mostAsked.accounts).filter(({ pendingCount }, i) => {
      attempts += pendingCount;
      return i === 0 || attempts <= mostAsked.attempts;
    });
  }

  async #storeSnapshots(): Promise<void> {
    const changed = [...this.#accounts.values()].filter(
      ({ changed, settled }) => changed && settled !== undefined,
    );
    changed.sort((a, b) => a.keptAt - b.keptAt);
    for (const account of changed.slice(0, mostSnapshots)) {
      account.changed = false;
      account.keptAt = this.#clock.monotonic();
      await this.#source.keep(idOf(account), account.snapshot).catch(() => {
        account.changed = true;
      });
    }
  }

  #of({ key, from }: Pick<Charged, 'key' | 'from'>, usedAt?: number): Account {
    const id = idOf({ key, from });
    let account = this.#accounts.get(id);
    if (!account) {
      account = new Account(key, from);
      account.usedAt = this.#clock.monotonic();
      // A budget may have got another period.
      const others = this.#byOwner.get(key) ?? [];
      for (const other of others) account.addPendingOf(other);
      this.#byOwner.set(key, [...others, account]);
      this.#accounts.set(id, account);
    }
    if (usedAt !== undefined) account.usedAt = usedAt;
    return account;
  }

  #drop(id: string, account: Account): void {
    this.#accounts.delete(id);
    const others = this.#byOwner.get(account.key)?.filter(each => each !== account) ?? [];
    if (others.length > 0) this.#byOwner.set(account.key, others);
    else this.#byOwner.delete(account.key);
  }
}

function idOf({ key, from }: Pick<Charged, 'key' | 'from'>): string {
  return `${from}.${Buffer.from(key).toString('base64url')}`;
}

/** Time in which a control must answer, in milliseconds. */
const answerMs = 1_000;

/** Returns the slots that know what was spent: the ledger at control, and snapshots in KV while that does not answer. */
export function sourceOver(spending: Questions, candidate: Candidate): SpendingSource {
  return {
    ask: question => spending.ask(question, answerMs) as Promise<SpendingAnswer>,
    keep: (account, snapshot) => candidate.keep(`budget.${account}`, snapshot),
    kept: account => candidate.kept(`budget.${account}`) as Promise<Snapshot | undefined>,
  };
}
