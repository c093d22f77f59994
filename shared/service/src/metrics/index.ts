export * from './metric.ts';
export * from './registry.ts';
export * from './registry.ts';
