import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const siliconflow: ProviderProfile = {
  label: 'SiliconFlow',
  sources: ['https://docs.siliconflow.com/en/api-reference/chat-completions/chat-completions'],
  baseUrl: 'https://api.siliconflow.com/v1',
  formats: {
    generate: ['chat'],
    embed: ['embeddings'],
    rerank: ['jina-rerank'],
    speech: ['speech'],
    transcribe: ['transcriptions'],
  },
  maxInputs: { embed: 2048 },
  keyVariable: 'SILICONFLOW_API_KEY',
  differences: { chat: { renames: { max_completion_tokens: 'max_tokens' } } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
