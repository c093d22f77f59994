import { batchEmbedContents, embedContent } from '@model-gateway/formats/embed-content';
import { countTokens, generateContent, streamGenerateContent } from '@model-gateway/formats/generate-content';
import { type Endpoint, ingressService } from '@model-gateway/ingress';

/** The endpoints of this ingress. */
export const endpoints: readonly Endpoint[] = [
  generateContent,
  streamGenerateContent,
  countTokens,
  embedContent,
  batchEmbedContents,
];

export const ingressGenerateContent = ingressService('ingress-generate-content', endpoints);
