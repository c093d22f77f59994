export * from './access.ts';
export * from './budgets/budget.ts';
export type {
  Costs,
  Overspent,
  Settlement,
  SpendingAnswer,
  SpendingQuestion,
} from './budgets/messages.ts';
export type { Decision, Left } from './limits/counters.ts';
export { Limiter, type Place, type WithoutLeader } from './limits/limiter.ts';
export { type Counted, countedFor, type Limits, type RateLimits } from './limits/limits.ts';
export * from './scopes.ts';
export * from './secret.ts';
