import { type Endpoint, ingressService } from '@model-gateway/ingress';
import { speech } from './speech/endpoint.ts';
import { transcriptions, translations } from './transcriptions/endpoint.ts';

/** The endpoints of this ingress. */
export const endpoints: readonly Endpoint[] = [speech, transcriptions, translations];

export const ingressAudio = ingressService('ingress-audio', endpoints);
