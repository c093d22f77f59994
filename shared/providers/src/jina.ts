import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const jina: ProviderProfile = {
  label: 'Jina AI',
  sources: ['https://api.jina.ai/redoc', 'https://jina.ai/embeddings'],
  baseUrl: 'https://api.jina.ai/v1',
  formats: { embed: ['jina-embed'], rerank: ['jina-rerank'] },
  maxInputs: { embed: 512 },
  keyVariable: 'JINA_API_KEY',
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
