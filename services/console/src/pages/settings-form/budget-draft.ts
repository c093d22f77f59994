import type { NewToken } from '@model-gateway/admin-api';

export type Budget = NonNullable<NewToken['budget']>;

/** A budget in a form: an empty amount is no budget. */
export interface BudgetDraft {
  amount: number | '';
  period: Budget['period'];
  endsStreams: boolean;
}

export const noBudget: BudgetDraft = { amount: '', period: 'month', endsStreams: true };

/** Returns the form's values for the budget of a resource; null for none. */
export function draftOfBudget(budget: Budget | null | undefined): BudgetDraft {
  return budget ? { ...budget, endsStreams: budget.endsStreams ?? true } : noBudget;
}

/** Returns the budget that a form has, or null for none. */
export function budgetOfDraft({ amount, period, endsStreams }: BudgetDraft): Budget | null {
  if (amount === '') return null;
  return { amount, period, ...(!endsStreams && { endsStreams }) };
}
