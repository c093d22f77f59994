import { ingressService } from '@model-gateway/ingress';
import { endpoints } from './endpoints.ts';

export const ingressImages = ingressService('ingress-images', endpoints);
