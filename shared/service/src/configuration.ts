// The parts for a process that runs no service: settings, files and memory. They load neither a server nor a client of NATS.
export * from './certificate.ts';
export * from './config.ts';
export * from './connection-limits.ts';
export * from './file-watcher.ts';
export * from './idle-memory.ts';
export * from './master-key.ts';
export * from './master-key.ts';
export * from './setting-report.ts';
export * from './settings.ts';
export * from './telemetry-settings.ts';
export * from './whole-file.ts';
export * from './whole-file.ts';
