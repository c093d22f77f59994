import { type Endpoint, ingressService } from '@model-gateway/ingress';
import { speech } from './speech/endpoint.ts';
import { transcriptions, translations } from './transcriptions/endpoint.ts';

/** Everything that this ingress answers. */
export const endpoints: readonly Endpoint[] = [speech, transcriptions, translations];

export const ingressAudio = ingressService('ingress-audio', endpoints);
