export * from './chat-completions.ts';
export * from './models.ts';
