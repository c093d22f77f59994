import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const together: ProviderProfile = {
  label: 'Together AI',
  sources: ['https://docs.together.ai/docs/openai-api-compatibility'],
  baseUrl: 'https://api.together.xyz/v1',
  formats: {
    generate: ['chat', 'completions'],
    embed: ['embeddings'],
    rerank: ['jina-rerank'],
    speech: ['speech'],
    transcribe: ['transcriptions'],
  },
  maxInputs: { embed: 2048 },
  keyVariable: 'TOGETHER_API_KEY',
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
