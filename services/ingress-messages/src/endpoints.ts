import type { Endpoint } from '@model-gateway/ingress';
import { countTokens } from './count-tokens/endpoint.ts';
import { messages } from './messages/endpoint.ts';

/** Everything that this ingress answers. */
export const endpoints: readonly Endpoint[] = [messages, countTokens];
