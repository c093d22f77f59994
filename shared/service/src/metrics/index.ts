export * from './attempts.ts';
export * from './labels.ts';
export * from './labels.ts';
export * from './metric.ts';
export * from './registry.ts';
export * from './table.ts';
