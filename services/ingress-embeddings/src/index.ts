export { ingressEmbeddings } from './service.ts';
