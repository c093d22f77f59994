export * from './access.ts';
export type { Decision, Left } from './limits/counters.ts';
export { Limiter, type Place, type WithoutLeader } from './limits/limiter.ts';
export { type Counted, countedFor, type Limits, type RateLimits } from './limits/limits.ts';
export * from './scopes.ts';
export * from './secret.ts';
