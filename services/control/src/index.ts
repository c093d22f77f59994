export { lastingStreams } from './lasting-streams.ts';
export { control } from './service.ts';
export { storedOptions, storedSettings } from './settings.ts';
