import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const voyage: ProviderProfile = {
  label: 'Voyage AI',
  sources: [
    'https://docs.voyageai.com/reference/embeddings-api',
    'https://docs.voyageai.com/reference/reranker-api',
  ],
  baseUrl: 'https://api.voyageai.com/v1',
  formats: { embed: ['voyage-embed'], rerank: ['voyage-rerank'] },
  maxInputs: { embed: 128, rerank: 1000 },
  keyVariable: 'VOYAGE_API_KEY',
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
