import {
  type Access,
  type Charged,
  chargedFor,
  type OnSpending,
  type Overspent,
  overspentError,
  spentError,
  type Token,
} from '@model-gateway/access';
import type { GatewayError } from '@model-gateway/canonical';
import type { Catalog } from '@model-gateway/catalog';
import type { Clock } from '@model-gateway/clock';

/** The places that know tokens, budgets and the time. */
interface BudgetDeps {
  access: Pick<Access, 'latest'>;
  catalog: Pick<Catalog, 'budgetOf' | 'userBudgetOf'>;
  clock: Pick<Clock, 'now'>;
}

const none: Charged[] = [];

/** Returns the budgets that a token's requests count for now. Empty if nothing limits what it spends. */
export function budgetsOf(
  { catalog, clock }: Omit<BudgetDeps, 'access'>,
  { id, project, owner, budget }: Token,
): Charged[] {
  const ofProject = catalog.budgetOf(project);
  const ofOwner = owner === undefined ? undefined : catalog.userBudgetOf(owner);
  if (!budget && !ofProject && !ofOwner) return none;
  return chargedFor(
    [
      [['token', id], budget],
      [['project', project], ofProject],
      [['user', owner ?? ''], ofOwner],
    ],
    clock.now(),
  );
}

/** Ends a stream once a budget that ends streams is spent: the budget as it is then. */
export function endWhenSpent(
  deps: BudgetDeps,
  token: Token,
  end: (reason: GatewayError) => void,
): { onSpending: OnSpending; overspent(over: Overspent): void } {
  return {
    onSpending({ key, from, spent }) {
      const budget = budgetsOf(deps, deps.access.latest(token)).find(
        each => each.key === key && each.from === from,
      );
      if (budget?.endsStreams && spent >= budget.amount) end(spentError({ ...budget, spent }));
    },
    overspent(over) {
      if (over.endsStreams) end(overspentError(over));
    },
  };
}
