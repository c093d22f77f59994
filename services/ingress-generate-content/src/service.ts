import { type Endpoint, ingressService } from '@model-gateway/ingress';
import { batchEmbedContents, embedContent } from './embed-content/endpoint.ts';
import { countTokens, generateContent, streamGenerateContent } from './generate-content/endpoint.ts';

/** The endpoints of this ingress. */
export const endpoints: readonly Endpoint[] = [
  generateContent,
  streamGenerateContent,
  countTokens,
  embedContent,
  batchEmbedContents,
];

export const ingressGenerateContent = ingressService('ingress-generate-content', endpoints);
