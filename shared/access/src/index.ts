export * from './access.ts';
export * from './budgets/budget.ts';
export { Limiter, type LimitsPolicy } from './limits/limiter.ts';
export {
  allCountedFor,
  type Counted,
  countedFor,
  type Limits,
  partsOfKey,
  type RateLimits,
} from './limits/limits.ts';
export type { Decision, Left, LeftAnswer, LeftOf, LeftQuestion } from './limits/messages.ts';
export type { OnSpending, Slot } from './limits/running.ts';
export * from './scopes.ts';
export * from './secret.ts';
