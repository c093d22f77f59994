import { ingressService } from '@model-gateway/ingress';
import { endpoints } from './endpoints.ts';

export const ingressMessages = ingressService('ingress-messages', endpoints);
