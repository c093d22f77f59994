export * from './attempts.ts';
export * from './bounded-names.ts';
export * from './children.ts';
export * from './metric.ts';
export * from './registry.ts';
export * from './table.ts';
