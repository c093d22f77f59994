export * from './access.ts';
export * from './budgets/budget.ts';
export type {
  Costs,
  Overspent,
  Settlement,
  SpendingAnswer,
  SpendingQuestion,
} from './budgets/messages.ts';
export { budgetName, overspentError, spentError } from './budgets/overspent.ts';
export type { Decision, Left } from './limits/ask.ts';
export type { LeftAnswer, LeftOf, LeftQuestion } from './limits/left.ts';
export { Limiter, type LimitsPolicy } from './limits/limiter.ts';
export {
  allCountedFor,
  type Counted,
  countedFor,
  type Limits,
  partsOfKey,
  type RateLimits,
} from './limits/limits.ts';
export type { OnSpending, Place } from './limits/place.ts';
export * from './scopes.ts';
export * from './secret.ts';
