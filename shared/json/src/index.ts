export * from './bounds.ts';
export * from './exact.ts';
export * from './keys.ts';
export { maxNesting } from './nesting.ts';
export * from './object.ts';
export * from './omit-nullish.ts';
export { jsonStep, parseInSteps, type Turn } from './parse-in-steps.ts';
export * from './text.ts';
export { isLargeJson, writeInSteps } from './write-in-steps.ts';
