import type { Endpoint } from '@model-gateway/ingress';
import { countTokens } from './count-tokens/endpoint.ts';
import { generateContent, streamGenerateContent } from './generate-content/endpoint.ts';

/** Everything that this ingress answers. */
export const endpoints: readonly Endpoint[] = [generateContent, streamGenerateContent, countTokens];
