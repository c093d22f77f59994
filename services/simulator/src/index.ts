export * from './service.ts';
export * from './start.ts';
export type { Recorded, Stats } from './traffic.ts';
