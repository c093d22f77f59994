export * from './catalog.ts';
export { dropConnectionHeaders, isConnectionHeader } from './connection-headers.ts';
export {
  type Discovered,
  type Discovery,
  discoveredOf,
  mostDiscovered,
  refreshMs,
} from './discovery.ts';
export { compilePattern, patternProblem } from './linear-pattern.ts';
export { type Logging, type RedactedKind, usualMaxBytes, usualRetentionDays } from './logging.ts';
export * from './parse.ts';
export * from './prices/attempt-cost.ts';
export * from './prices/attempt-cost.ts';
export { openKeptPrices } from './prices/kept-prices.ts';
export * from './prices/price.ts';
export * from './record.ts';
export * from './rest.ts';
export * from './route.ts';
export { checkRules, optionMisfit, type Problem } from './rules.ts';
export {
  type Budget,
  type CatalogFile,
  catalogSchema,
  type FallbackCause,
  type Model,
  type Project,
  type Provider,
  type Target,
  type User,
} from './schema.ts';
export * from './seal.ts';
export * from './target-test.ts';
export { telemetryName } from './telemetry-name.ts';
