import { countTokens, messages } from '@model-gateway/formats/messages';
import { type Endpoint, ingressService } from '@model-gateway/ingress';

/** The endpoints of this ingress. */
export const endpoints: readonly Endpoint[] = [messages, countTokens];

export const ingressMessages = ingressService('ingress-messages', endpoints);
