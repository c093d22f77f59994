import { ingressService } from '@model-gateway/ingress';
import { endpoints } from './endpoints.ts';

export const ingressGenerateContent = ingressService('ingress-generate-content', endpoints);
