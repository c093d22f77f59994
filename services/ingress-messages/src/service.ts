import { type Endpoint, ingressService } from '@model-gateway/ingress';
import { countTokens, messages } from './messages/endpoint.ts';

/** Everything that this ingress answers. */
export const endpoints: readonly Endpoint[] = [messages, countTokens];

export const ingressMessages = ingressService('ingress-messages', endpoints);
