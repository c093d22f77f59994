import { ingressService } from '@model-gateway/ingress';
import { endpoints } from './endpoints.ts';

export const ingressEmbeddings = ingressService('ingress-embeddings', endpoints);
