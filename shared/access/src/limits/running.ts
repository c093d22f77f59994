import { ItemsById } from '@model-gateway/bus';
import type { Report, Spending } from './messages.ts';
import type { Granted } from './place.ts';

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
