import { chatCompletions } from '@model-gateway/formats/chat';
import { completions } from '@model-gateway/formats/completions';
import { type Endpoint, ingressService } from '@model-gateway/ingress';

/** The endpoints of this ingress. */
export const endpoints: readonly Endpoint[] = [chatCompletions, completions];

export const ingressChat = ingressService('ingress-chat', endpoints);
