export * from './certificate.ts';
export * from './config.ts';
export * from './listen.ts';
export * from './log.ts';
export * from './metrics.ts';
export * from './ops.ts';
export * from './run.ts';
export * from './service.ts';
