import { bearer, fixedConnection, type ProviderProfile, withPath } from './profile.ts';

export const deepinfra: ProviderProfile = {
  label: 'DeepInfra',
  sources: ['https://deepinfra.com/docs/openai_api'],
  baseUrl: 'https://api.deepinfra.com/v1/openai',
  formats: {
    generate: ['chat', 'completions'],
    embed: ['embeddings'],
    image: ['images'],
    transcribe: ['transcriptions'],
  },
  maxInputs: { embed: 2048 },
  keyVariable: 'DEEPINFRA_API_KEY',
  connect: ({ baseUrl, apiKey }) => fixedConnection(withPath(baseUrl, '/v1/openai'), bearer(apiKey)),
};
