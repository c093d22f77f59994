export * from './access.ts';
export * from './access.ts';
