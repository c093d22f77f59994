export * from './access.ts';
export * from './secret.ts';
