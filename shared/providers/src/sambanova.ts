import { bearer, fixedConnection, gptOss, type ProviderProfile, withPath } from './profile.ts';

export const sambanova: ProviderProfile = {
  label: 'SambaNova',
  sources: ['https://docs.sambanova.ai/docs/en/features/openai-compatibility'],
  baseUrl: 'https://api.sambanova.ai/v1',
  formats: {
    generate: ['chat'],
    embed: ['embeddings'],
    transcribe: ['transcriptions'],
  },
  maxInputs: { embed: 2048 },
  keyVariable: 'SAMBANOVA_API_KEY',
  differences: { chat: { renames: { max_completion_tokens: 'max_tokens' }, thinking: [gptOss] } },
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1'), bearer(apiKey)),
};
