import { type Endpoint, ingressService } from '@model-gateway/ingress';
import { chatCompletions } from './chat/endpoint.ts';
import { completions } from './completions/endpoint.ts';

/** The endpoints of this ingress. */
export const endpoints: readonly Endpoint[] = [chatCompletions, completions];

export const ingressChat = ingressService('ingress-chat', endpoints);
