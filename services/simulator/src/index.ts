export * from './service.ts';
export type { Recorded, Stats } from './traffic.ts';
