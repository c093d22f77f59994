export { ingressResponses } from './service.ts';
