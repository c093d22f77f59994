import { type Endpoint, ingressService } from '@model-gateway/ingress';
import { countTokens, messages } from './messages/endpoint.ts';

/** The endpoints of this ingress. */
export const endpoints: readonly Endpoint[] = [messages, countTokens];

export const ingressMessages = ingressService('ingress-messages', endpoints);
