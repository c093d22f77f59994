import type { Endpoint } from '@model-gateway/ingress';
import { inputTokens } from './input-tokens/endpoint.ts';
import { responses } from './responses/endpoint.ts';

/** Everything that this ingress answers. */
export const endpoints: readonly Endpoint[] = [responses, inputTokens];
