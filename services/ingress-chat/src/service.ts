import { ingressService } from '@model-gateway/ingress';
import { endpoints } from './endpoints.ts';

export const ingressChat = ingressService('ingress-chat', endpoints);
