export { worker } from './service.ts';
