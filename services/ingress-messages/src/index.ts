export { ingressMessages } from './service.ts';
