export { realtime } from './service.ts';
