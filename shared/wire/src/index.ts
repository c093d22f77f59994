export * from './chat-completions.ts';
export * from './completions.ts';
export * from './messages.ts';
export * from './messages-answer.ts';
export * from './models.ts';
