export { ingressGenerateContent } from './service.ts';
