import { ingressService } from '@model-gateway/ingress';
import { endpoints } from './endpoints.ts';

export const ingressResponses = ingressService('ingress-responses', endpoints);
