export { ingressChat } from './service.ts';
