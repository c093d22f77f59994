import type { Endpoint } from '@model-gateway/ingress';
import { chatCompletions } from './chat-completions/endpoint.ts';
import { completions } from './completions/endpoint.ts';

/** Everything that this ingress answers. */
export const endpoints: readonly Endpoint[] = [chatCompletions, completions];
