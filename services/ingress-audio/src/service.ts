import { speech } from '@model-gateway/formats/speech';
import { transcriptions, translations } from '@model-gateway/formats/transcriptions';
import { type Endpoint, ingressService } from '@model-gateway/ingress';

/** The endpoints of this ingress. */
export const endpoints: readonly Endpoint[] = [speech, transcriptions, translations];

export const ingressAudio = ingressService('ingress-audio', endpoints);
