import { ingressService } from '@model-gateway/ingress';
import { endpoints } from './endpoints.ts';

export const ingressAudio = ingressService('ingress-audio', endpoints);
