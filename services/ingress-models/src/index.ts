export { ingressModels } from './service.ts';
