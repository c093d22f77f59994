import { ItemsById } from '@model-gateway/bus';
import type { GatewayError } from '@model-gateway/canonical';
import type { Overspent, Settlement } from '../budgets/budget.ts';
import type { Ask, Decision, Report, Spending } from './messages.ts';

/** A request's slot in its limits. */
export interface Slot {
  decision: Decision;
  /** The error of a request that was refused, which holds no slot. */
  refusal?: GatewayError;
  /**
   * Ends it; no effect the second time. `used`: the tokens that the request used; the estimate stays if that is unknown.
   * `settlement`: its cost, if it has a budget and was charged. `unserved`: it reached no upstream, and counts for nothing.
   */
  end(used?: number, settlement?: Settlement, unserved?: boolean): void;
  /** Raises what it may spend, and returns the budget of which nothing is left then; undefined if there is none. */
  raise?(amount: number): Promise<Overspent | undefined>;
}

/** A request that was granted and runs. */
export interface Granted {
  ask: Ask;
  /** Time of the grant, in milliseconds of the monotonic clock. */
  at: number;
  onSpending?: OnSpending | undefined;
}

/** Called each second with what was spent of a budget that ends streams, while a request that counts for it runs. */
export type OnSpending = (spending: Spending) => void;

/** The granted requests of this process that run, by id. */
export class Running {
  readonly #granted = new ItemsById<number, Granted>();

  add(granted: Granted): void {
    this.#granted.set(granted.ask.id, granted);
  }

  get(id: number): Granted | undefined {
    return this.#granted.get(id);
  }

  /** Removes a request, and returns it; undefined if it does not run. */
  take(id: number): Granted | undefined {
    const granted = this.#granted.get(id);
    this.#granted.delete(id);
    return granted;
  }

  get ids(): number[] {
    return this.#granted.values().map(({ ask }) => ask.id);
  }

  /** Returns these requests, or all, for a report to the leader. */
  report(now: number, ids = this.ids): Report['running'] {
    const found = ids.flatMap(id => this.#granted.get(id) ?? []);
    return found.map(({ ask, at }) => ({ ask, ageMs: now - at }));
  }

  /** Tells the requests that count for budgets what was spent of them. */
  tell(spending: readonly Spending[]): void {
    const byBudget = new Map(spending.map(each => [`${each.from} ${each.key}`, each]));
    for (const { ask, onSpending } of this.#granted.values())
      for (const { key, from } of ask.costs?.budgets ?? []) {
        const found = byBudget.get(`${from} ${key}`);
        if (found) onSpending?.(found);
      }
  }
}
