export * from './duration.ts';
export * from './envelope.ts';
export * from './errors.ts';
export * from './generate/event.ts';
export * from './json-text.ts';
export * from './usage.ts';
