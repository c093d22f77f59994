export * from './server-sent-events.ts';
