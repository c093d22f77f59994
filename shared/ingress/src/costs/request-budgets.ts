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

/** The places that know tokens and budgets. */
export interface BudgetDeps {
  access: Pick<Access, 'latest'>;
  catalog: Pick<Catalog, 'budgetOf' | 'userBudgetOf'>;
}

const none: Charged[] = [];

/** Returns the budgets that a token's requests count for now. Empty if nothing limits what it spends. */
export function budgetsOf(catalog: BudgetDeps['catalog'], { id, project, owner, budget }: Token): Charged[] {
  const ofProject = catalog.budgetOf(project);
  const ofOwner = owner === undefined ? undefined : catalog.userBudgetOf(owner);
  if (!budget && !ofProject && !ofOwner) return none;
  return chargedFor(
    [
      [['token', id], budget],
      [['project', project], ofProject],
      [['user', owner ?? ''], ofOwner],
    ],
    Date.now(),
  );
}

/** Ends a stream once a budget that ends streams is spent: the budget as it is then. */
export function endWhenSpent(
  { access, catalog }: BudgetDeps,
  token: Token,
  end: (reason: GatewayError) => void,
): { onSpending: OnSpending; overspent(over: Overspent): void } {
  return {
    onSpending({ key, from, spent }) {
      const budget = budgetsOf(catalog, access.latest(token)).find(
        each => each.key === key && each.from === from,
      );
      if (budget?.endsStreams && spent >= budget.amount) end(spentError({ ...budget, spent }));
    },
    overspent(over) {
      if (over.endsStreams) end(overspentError(over));
    },
  };
}
