import type { Endpoint } from '@model-gateway/ingress';
import { batchEmbedContents } from './batch-embed-contents/endpoint.ts';
import { countTokens } from './count-tokens/endpoint.ts';
import { embedContent } from './embed-content/endpoint.ts';
import { generateContent, streamGenerateContent } from './generate-content/endpoint.ts';

/** Everything that this ingress answers. */
export const endpoints: readonly Endpoint[] = [
  generateContent,
  streamGenerateContent,
  countTokens,
  embedContent,
  batchEmbedContents,
];
