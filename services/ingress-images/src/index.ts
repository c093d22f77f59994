export { ingressImages } from './service.ts';
