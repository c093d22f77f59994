export * from './access.ts';
export * from './token.ts';
